import { metal3Group } from '../../api/index.ts';
import type { AdmissionRequest, MayDo } from '../../kube/index.ts';

/**
 * Says whether somebody may tell which machine a new host of a namespace is, as discovery does. The discovery controller
 * writes the status of BareMetalHostDiscoveries; who writes these decides what it does.
 */
export async function mayDiscover(
  mayDo: MayDo,
  user: AdmissionRequest['userInfo'],
  namespace: string,
): Promise<boolean> {
  const question = { verb: 'update', group: metal3Group, resource: 'baremetalhostdiscoveries', namespace };
  return (await mayDo(user, { ...question, subresource: 'status' })) || (await mayDo(user, question));
}
