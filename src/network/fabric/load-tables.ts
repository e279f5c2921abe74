import type { BareMetalHost } from '../../api/index.ts';
import { createTable, type KubeClient, type KubeObject } from '../../kube/index.ts';
import { providerResources, resources } from '../resources.ts';
import {
  hostIndexers,
  type NetworkObjects,
  type NetworkTables,
  type ProviderSwitch,
  pluggedHostOf,
  portIndexers,
  switchIndexers,
} from './tables.ts';

/** Everything of one moment, with the hosts as they are. */
export interface LoadedNetwork {
  readonly tables: NetworkTables;
  readonly hosts: readonly BareMetalHost[];
}

/** Lists all that decisions look at, for whoever decides without following: `rackwright plan network`. */
export async function loadNetwork(client: KubeClient, signal?: AbortSignal): Promise<LoadedNetwork> {
  const call = signal === undefined ? {} : { signal };
  const list = async <T extends KubeObject>(ref: Parameters<KubeClient['resource']>[0]): Promise<T[]> =>
    (await client.resource<T>(ref).list(call)).items;
  const [switches, ports, configurations, limits, hosts, ansible, ovs, fixture] = await Promise.all([
    list<NetworkObjects['switches']>(resources.switches),
    list<NetworkObjects['ports']>(resources.ports),
    list<NetworkObjects['configurations']>(resources.configurations),
    list<NetworkObjects['limits']>(resources.limits),
    list<BareMetalHost & KubeObject>(resources.hosts),
    list<ProviderSwitch & KubeObject>(providerResources.AnsibleSwitch),
    list<ProviderSwitch & KubeObject>(providerResources.OVSSwitch),
    list<ProviderSwitch & KubeObject>(providerResources.FixtureSwitch),
  ]);
  return {
    hosts,
    tables: {
      switches: createTable(switches, switchIndexers),
      ports: createTable(ports, portIndexers),
      configurations: createTable(configurations),
      limits: createTable(limits),
      hosts: createTable(hosts.map(pluggedHostOf), hostIndexers),
      providers: {
        AnsibleSwitch: createTable(ansible),
        OVSSwitch: createTable(ovs),
        FixtureSwitch: createTable(fixture),
      },
    },
  };
}
