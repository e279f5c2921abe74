import type { SwitchPort } from '../../api/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts';
import { writeLinkRecord } from '../fabric/link-records.ts';
import { networkFieldManager, resources } from '../resources.ts';
import type { LinkPort } from './plan-host-network.ts';

/** Links a configuration to a port, or takes the link away; undefined when the port is gone, which is fine. */
export async function linkPort(
  client: KubeClient,
  { port, configuration, by }: LinkPort,
  signal?: AbortSignal,
): Promise<(SwitchPort & KubeObject) | undefined> {
  const body = {
    metadata: { annotations: writeLinkRecord(by, configuration) },
    spec: { configuration: configuration ?? null },
  };
  const options = { fieldManager: networkFieldManager, ...(signal === undefined ? {} : { signal }) };
  try {
    return await client
      .resource<SwitchPort & KubeObject>(resources.ports)
      .patch(port, { type: 'merge', body }, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}
