import type { BareMetalHost } from '../../api/index.ts';
import { type Clock, createMayDo, createTable, type KubeClient, type KubeObject } from '../../kube/index.ts';
import { hostIndexers } from '../objects.ts';
import { resources } from '../resources.ts';
import { type HostView, rememberMs } from './claims.ts';

/** What hosts are listed with. */
export interface ListedViewParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Hosts that are about to be made, which count as if they were there. */
  readonly expected: readonly BareMetalHost[];
}

/** The hosts that are there at this moment: for a short while in which there are no caches yet. */
export async function listHosts({ client, clock, expected }: ListedViewParts): Promise<HostView> {
  const resource = client.resource<BareMetalHost & KubeObject>(resources.hosts);
  const { items } = await resource.list();
  const hosts = createTable<BareMetalHost & KubeObject>([...expected, ...items], hostIndexers);
  const mayDo = createMayDo(client, { clock, ms: rememberMs });
  return { hosts, read: (key) => resource.get(key), mayDo, clock };
}
