import { readFileSync } from 'node:fs';
import { type Component, type NamedRule, requestedRules } from '../../../src/manifests/index.ts';

/** Every request, without what is in it; what is asked about the rights of others with the answer. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  omitManagedFields: true,
  rules: [
    { level: 'RequestResponse', resources: [{ group: 'authorization.k8s.io', resources: ['subjectaccessreviews'] }] },
    { level: 'Metadata' },
  ],
};

/** A request that somebody made of the API server, or that a webhook asked about. */
export interface Use {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** With its subresource, as rules name it. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Of the answer. */
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
  /** Of a SubjectAccessReview. */
  readonly responseObject?: {
    readonly spec?: { readonly user?: string; readonly resourceAttributes?: AskedAbout };
    readonly status?: { readonly allowed?: boolean };
  };
}

interface AskedAbout {
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** What an audit log tells; a watch that has not ended is told by its end only. */
export interface Audit {
  readonly uses: readonly Use[];
  /** What was asked about the rights of somebody and was so: a use of a right that nobody requests anything with. */
  readonly asked: readonly Use[];
}

/** Reads an audit log; of the line that is being written only a part may be there, so it is left for the next look. */
export function readAudit(file: string): Audit {
  const events = readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ objectRef }) => objectRef?.resource !== undefined);
  return { uses: events.flatMap(usesOf), asked: events.flatMap(askedIn) };
}

function usesOf({ user, verb, objectRef, responseStatus }: AuditEvent): Use[] {
  const use = {
    user: user.username,
    verb,
    group: objectRef?.apiGroup ?? '',
    resource: resourceOf(objectRef),
    namespace: objectRef?.namespace ?? '',
    name: objectRef?.name ?? '',
    code: responseStatus?.code ?? 0,
  };
  // Whoever applies what is not there yet is asked for the right to create it too.
  return verb === 'patch' && use.code === 201 ? [use, { ...use, verb: 'create' }] : [use];
}

function askedIn({ responseObject, responseStatus }: AuditEvent): Use[] {
  const { spec, status } = responseObject ?? {};
  const about = spec?.resourceAttributes;
  if (about === undefined || status?.allowed !== true) return [];
  const { verb = '', group = '', namespace = '', name = '' } = about;
  const code = responseStatus?.code ?? 0;
  return [{ user: spec?.user ?? '', verb, group, resource: resourceOf(about), namespace, name, code }];
}

function resourceOf(of: { readonly resource?: string; readonly subresource?: string } | undefined): string {
  return [of?.resource, of?.subresource].filter((each) => each !== undefined && each !== '').join('/');
}

/** Requests that were refused for want of a right. */
export function forbiddenIn(uses: readonly Use[]): readonly string[] {
  return [...new Set(uses.filter(({ code }) => code === 403).map((use) => `${use.user}: ${shown(use)}`))].toSorted();
}

/** What an account of a component may and has not used. */
export function unusedBy(
  { user, rights }: Pick<Component, 'rights'> & Pick<Use, 'user'>,
  audit: Audit,
): readonly string[] {
  const isOwn = (use: Use): boolean => use.user === user;
  const unused = [
    ...unusedOf(requestedRules(rights), audit.uses.filter(isOwn)),
    ...unusedOf(rights.standing ?? [], audit.asked.filter(isOwn)),
  ];
  return unused.map((each) => `${user}: ${each}`);
}

/** What rules allow that nobody used: one line for each verb on each resource, and for each name where there are names. */
function unusedOf(rules: readonly NamedRule[], uses: readonly Use[]): readonly string[] {
  return rules.flatMap((rule) => {
    const isUsed = (each: Allowed): boolean =>
      uses.some(
        ({ group, resource, verb, name }) =>
          group === each.group &&
          resource === each.resource &&
          verb === each.verb &&
          (each.name === undefined || name === each.name),
      );
    // Whoever lists sees all that getting one would show, so that getting one adds no right.
    const isWithinList = (each: Allowed): boolean =>
      each.verb === 'get' && rule.verbs.includes('list') && isUsed({ ...each, verb: 'list' });
    return allowedBy(rule)
      .filter((each) => !isUsed(each) && !isWithinList(each))
      .map(({ group, resource, verb, name }) =>
        `${verb} ${resource}${group === '' ? '' : `.${group}`} ${name ?? ''}`.trimEnd(),
      );
  });
}

type Allowed = Pick<Use, 'group' | 'resource' | 'verb'> & { readonly name: string | undefined };

function allowedBy({ apiGroups, resources, verbs, resourceNames }: NamedRule): readonly Allowed[] {
  const names = resourceNames ?? [undefined];
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.flatMap((verb) => names.map((name) => ({ group, resource, verb, name })))),
  );
}

function shown({ verb, resource, group, namespace, name }: Use): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`} ${namespace}/${name}`;
}
