import { readFileSync } from 'node:fs';
import type { NamedRule } from '../../../src/manifests/index.ts';

/** Every request, without what is in it. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  omitManagedFields: true,
  rules: [{ level: 'Metadata' }],
};

/** A request that somebody made of the API server. */
export interface Use {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource, as rules name it. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
}

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** What an audit log tells; a watch that has not ended is told by its end only. */
export function readAudit(file: string): readonly Use[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ objectRef }) => objectRef?.resource !== undefined)
    .map(({ user, verb, objectRef, responseStatus }) => ({
      user: user.username,
      verb,
      group: objectRef?.apiGroup ?? '',
      resource: [objectRef?.resource, objectRef?.subresource].filter((each) => each !== undefined).join('/'),
      namespace: objectRef?.namespace ?? '',
      name: objectRef?.name ?? '',
      code: responseStatus?.code ?? 0,
    }));
}

/** Requests that were refused for want of a right. */
export function forbiddenIn(uses: readonly Use[]): readonly string[] {
  return [...new Set(uses.filter(({ code }) => code === 403).map((use) => `${use.user}: ${shown(use)}`))].toSorted();
}

/** What rules allow that nobody used: one line for each verb on each resource. */
export function unusedOf(rules: readonly NamedRule[], uses: readonly Use[]): readonly string[] {
  const used = (group: string, resource: string, verb: string): boolean =>
    uses.some((use) => use.group === group && use.resource === resource && use.verb === verb);
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs
          .filter((verb) => !used(group, resource, verb))
          // Whoever lists sees all that getting one would show, so that getting one adds no right.
          .filter((verb) => !(verb === 'get' && verbs.includes('list') && used(group, resource, 'list')))
          .map((verb) => `${verb} ${resource}${group === '' ? '' : `.${group}`}`),
      ),
    ),
  );
}

function shown({ verb, resource, group, namespace, name }: Use): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`} ${namespace}/${name}`;
}
