import { type BareMetalHost, clusterLabels } from '../../api/index.ts';
import { isAlreadyExists, isConflict, isNotFound, type KubeObject, keyOf } from '../../kube/index.ts';
import { nameOf } from '../references.ts';
import { fleet, hostStatus, type MachineApi } from './rig.ts';

/** For tests: plays the controllers of hosts, and the kubelets of what they deploy. */
export interface PlayedHosts {
  /** Every host that a Metal3Machine ever had, in order, as `host machine`. */
  readonly history: readonly string[];
  stop(): Promise<void>;
}

/**
 * For tests: a host with an image is provisioned and gets a node; one without becomes available again. Says so the moment
 * a host changes hands without having been given back.
 */
export function playHosts(api: MachineApi, { hasNodes = true }: { readonly hasNodes?: boolean } = {}): PlayedHosts {
  const ending = new AbortController();
  const history: string[] = [];
  const holders = new Map<string, string>();
  const note = (host: BareMetalHost & KubeObject): void => {
    const name = nameOf(host);
    const holder = host.spec?.consumerRef?.kind === 'Metal3Machine' ? host.spec.consumerRef.name : undefined;
    if (holder !== undefined && holders.get(name) !== holder) history.push(`${name} ${holder}`);
    if (holder === undefined) holders.delete(name);
    else holders.set(name, holder);
  };
  const play = async (host: BareMetalHost & KubeObject): Promise<void> => {
    if (host.metadata.annotations?.['baremetalhost.metal3.io/paused'] !== undefined) return;
    const state = host.status?.provisioning.state;
    const isToRun = host.spec?.image !== undefined;
    if (isToRun && state === 'available') await tell(host, 'provisioning');
    if (isToRun && state === 'provisioning') await tell(host, 'provisioned');
    if (isToRun && state === 'provisioned' && hasNodes) await join(host);
    if (!isToRun && (state === 'provisioning' || state === 'provisioned')) await tell(host, 'deprovisioning');
    if (!isToRun && state === 'deprovisioning') await tell(host, 'available');
  };
  const tell = async (host: BareMetalHost & KubeObject, state: Parameters<typeof hostStatus>[0]): Promise<void> => {
    await quietly(() => api.hosts.status.replace({ ...host, status: { ...hostStatus(state), poweredOn: true } }));
  };
  const join = async ({ metadata }: BareMetalHost): Promise<void> => {
    const labels = { [clusterLabels.nodeUuid]: metadata.uid ?? '' };
    await quietly(async () => {
      const made = await api.nodes.create({ metadata: { name: `node-${metadata.name}`, labels } });
      const conditions = [{ type: 'Ready', status: 'True' }];
      await api.nodes.status.patch(keyOf(made), { type: 'merge', body: { status: { conditions } } });
    });
  };
  const running = (async () => {
    while (!ending.signal.aborted) {
      try {
        for await (const event of api.hosts.watch({ namespace: fleet, signal: ending.signal })) {
          if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
          note(event.object);
          await play(event.object);
        }
      } catch (error) {
        if (!ending.signal.aborted) throw error;
      }
    }
  })();
  return {
    history,
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** What changed in between is seen again by the watch. */
async function quietly(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
  }
}
