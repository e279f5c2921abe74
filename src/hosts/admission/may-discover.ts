import type { AdmissionRequest, Clock, KubeClient } from '../../kube/index.ts';

/** Says whether somebody may tell which machine a new host of a namespace is, as discovery does. */
export type MayDiscover = (user: AdmissionRequest['userInfo'], namespace: string) => Promise<boolean>;

interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
}

/** Who may do so is asked again after so long: hosts come in hundreds, and all of them from one controller. */
const rememberMs = 10_000;
const mostRemembered = 1000;

/** Asks the API. The discovery controller writes the status of BareMetalHostDiscoveries; who writes these decides what it does. */
export function createMayDiscover(client: Pick<KubeClient, 'request'>, clock: Clock): MayDiscover {
  const rights = new Map<string, number>();
  return async (user, namespace) => {
    // They may do everything, by definition.
    if (user.groups?.includes('system:masters') === true) return true;
    const { username, uid, groups, extra } = user;
    const who = JSON.stringify([username, uid, groups, extra, namespace]);
    if (clock.monotonic() - (rights.get(who) ?? Number.NEGATIVE_INFINITY) < rememberMs) return true;
    const may = (await isAllowed(user, namespace, 'status')) || (await isAllowed(user, namespace));
    if (rights.size >= mostRemembered) rights.clear();
    if (may) rights.set(who, clock.monotonic());
    else rights.delete(who);
    return may;
  };

  async function isAllowed(
    { username, uid, groups, extra }: AdmissionRequest['userInfo'],
    namespace: string,
    subresource?: 'status',
  ): Promise<boolean> {
    const resource = { group: 'metal3.io', resource: 'baremetalhostdiscoveries', verb: 'update', namespace };
    const resourceAttributes = { ...resource, ...(subresource === undefined ? {} : { subresource }) };
    const { status } = await client.request<SubjectAccessReview>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: username, uid, groups, extra, resourceAttributes },
      },
      timeoutMs: 5000,
    });
    return status?.allowed === true && status.denied !== true;
  }
}
