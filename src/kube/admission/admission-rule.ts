import type { AnyKubeObject } from '../object.ts';
import type { Verdict } from './verdict.ts';

/** What is asked of admission, as `admission.k8s.io/v1` says it. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo: {
    readonly username?: string | undefined;
    readonly uid?: string | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
  };
  readonly object?: AnyKubeObject | null | undefined;
  readonly oldObject?: AnyKubeObject | null | undefined;
  readonly dryRun?: boolean | undefined;
  readonly options?: unknown;
}

/** Which requests a rule looks at; `*` means any. */
export interface AdmissionMatch {
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** Plural names; `hosts/status` for a subresource, `hosts/*` for the resource with all of them. */
  readonly resources: readonly string[];
  readonly operations: readonly (AdmissionRequest['operation'] | '*')[];
  readonly scope?: 'Cluster' | 'Namespaced' | '*' | undefined;
}

/** Something a room has to say about requests before they are stored. */
export interface AdmissionRule<Seen = unknown> {
  /** A domain-like name, as webhooks have: `limits.switchports.rackwright.io`. */
  readonly name: string;
  /** Mutating rules may patch and are asked before all validating ones. */
  readonly type: 'validating' | 'mutating';
  readonly matches: readonly AdmissionMatch[];
  /** Reads what `admit` needs to know besides the request. */
  readonly read: (request: AdmissionRequest) => Seen | Promise<Seen>;
  /** Pure: no I/O, no clock, no logger. */
  readonly admit: (request: AdmissionRequest, seen: Seen) => Verdict;
  /** What happens when the rule cannot be asked; `Fail` unless given. */
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  /** 10 unless given. */
  readonly timeoutSeconds?: number | undefined;
}

/** Keeps the type of `Seen` inside one rule, so that rules of several rooms fit into one list. */
export function defineAdmissionRule<Seen>(rule: AdmissionRule<Seen>): AdmissionRule {
  return rule as AdmissionRule;
}

/** True when the rule looks at this request. */
export function isConcerned(rule: AdmissionRule, request: AdmissionRequest): boolean {
  return rule.matches.some((match) => {
    const { group, version } = request.resource;
    const scope = request.namespace === undefined || request.namespace === '' ? 'Cluster' : 'Namespaced';
    return (
      includes(match.groups, group) &&
      includes(match.versions, version) &&
      includes(match.operations, request.operation) &&
      (match.scope === undefined || match.scope === '*' || match.scope === scope) &&
      match.resources.some((pattern) => isResourceMatch(pattern, request))
    );
  });
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

function isResourceMatch(pattern: string, request: AdmissionRequest): boolean {
  const [resource, subresource] = pattern.split('/');
  const isResource = resource === '*' || resource === request.resource.resource;
  const asked = request.subResource ?? '';
  if (subresource === undefined) return isResource && asked === '';
  return isResource && (subresource === '*' || subresource === asked);
}
