import type { KubeClient } from '../client/client.ts';
import type { Clock } from '../clock.ts';
import type { AdmissionRequest } from './admission-rule.ts';

/** Something that a user wants to do. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Missing for what has no namespace. */
  readonly namespace?: string;
  /** One object; all of them unless given. */
  readonly name?: string;
}

/** Says whether a user may do something. */
export type MayDo = (user: AdmissionRequest['userInfo'], question: AccessQuestion) => Promise<boolean>;

interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
}

const mostRemembered = 1000;

/** Asks the API server with all that it knows of the user. With `remember`, a yes is not asked for again that soon. */
export function createMayDo(
  client: Pick<KubeClient, 'request'>,
  remember?: { readonly clock: Clock; readonly ms: number },
): MayDo {
  const allowed = new Map<string, number>();
  return async (user, question) => {
    if (isSuperuser(user)) return true;
    const { username, uid, groups, extra } = user;
    const key = JSON.stringify([username, uid, groups, extra, question]);
    const now = remember?.clock.monotonic() ?? 0;
    if (remember !== undefined && now - (allowed.get(key) ?? Number.NEGATIVE_INFINITY) < remember.ms) return true;
    const { status } = await client.request<SubjectAccessReview>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: username, uid, groups, extra, resourceAttributes: question },
      },
      timeoutMs: 5000,
    });
    const may = status?.allowed === true && status.denied !== true;
    if (allowed.size >= mostRemembered) allowed.clear();
    if (may && remember !== undefined) allowed.set(key, now);
    else allowed.delete(key);
    return may;
  };
}

/** They may do everything, by definition: also while nobody can be asked. */
export function isSuperuser({ groups }: AdmissionRequest['userInfo']): boolean {
  return groups?.includes('system:masters') === true;
}

/** The names among these that a user may not read. Who may read all of them is asked for once. */
export async function unreadable(
  mayDo: MayDo,
  user: AdmissionRequest['userInfo'],
  { names, ...where }: Omit<AccessQuestion, 'verb' | 'name'> & { readonly names: readonly string[] },
): Promise<readonly string[]> {
  const question = { verb: 'get', ...where };
  if (names.length === 0 || (await mayDo(user, question))) return [];
  const asked = await Promise.all(
    [...new Set(names)].map(async (name) => ({ name, may: await mayDo(user, { ...question, name }) })),
  );
  return asked.filter(({ may }) => !may).map(({ name }) => name);
}
