/** A line of the audit log, as the server gives it. */
export interface AuditItem {
  readonly seq: number;
  readonly time: string;
  readonly user: string;
  readonly agent?: string;
  readonly impersonatedUser?: { readonly username: string };
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly dryRun?: boolean;
  readonly code: number;
  readonly verdict: 'done' | 'refused';
  readonly reason?: string;
}

/** A page of them, newest first. */
export interface AuditPage {
  readonly items: readonly AuditItem[];
  readonly continue?: string;
}

/** What of the log is shown. */
export interface AuditFilter {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly verdict: string;
  /** Without what the controllers wrote. */
  readonly isByPeople: boolean;
}

/** What is shown at first: what people did. */
export const usualFilter: AuditFilter = {
  user: '',
  verb: '',
  resource: '',
  name: '',
  verdict: '',
  isByPeople: true,
};

const pageItems = 200;

/** The path that gives a page. */
export function auditPath(filter: AuditFilter, after: string | undefined): string {
  const { user, verb, resource, name, verdict, isByPeople } = filter;
  const wanted = { user, verb, resource: resource.trim().toLowerCase(), name, verdict };
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''));
  query.set('limit', String(pageItems));
  query.set('plain', 'true');
  if (isByPeople) query.set('people', 'true');
  if (after !== undefined) query.set('continue', after);
  return `/audit?${query}`;
}

/** `baremetalhosts/status lab/host-1`, or the path of what is no resource. */
export function objectText({ resource, subresource, namespace, name, path }: AuditItem): string {
  if (resource === undefined) return path ?? '';
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const which = [resource === 'namespaces' ? undefined : namespace, name]
    .filter((part) => part !== undefined)
    .join('/');
  return which === '' ? what : `${what} ${which}`;
}

/** Who acted, and as whom. */
export function whoText({ user, impersonatedUser }: AuditItem): string {
  const caller = user === '' ? 'nobody the server knows' : user;
  return impersonatedUser === undefined ? caller : `${caller} as ${impersonatedUser.username}`;
}

/** The program in one word: browsers call themselves many things at once. */
export function programText({ agent = '' }: Pick<AuditItem, 'agent'>): string {
  if (agent.startsWith('Mozilla/')) return 'browser';
  if (agent === 'rackwright') return 'controllers';
  return /^[^\s/]+/.exec(agent)?.[0] ?? '';
}

/** What came of it, in words. */
export function verdictText({ verdict, code, reason, dryRun }: AuditItem): string {
  if (verdict === 'refused') return reason === undefined ? `refused, ${code}` : `refused: ${reason}`;
  return dryRun === true ? 'tried, nothing kept' : 'done';
}
