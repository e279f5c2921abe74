import type {
  BareMetalHost,
  Cluster,
  Machine,
  Metal3Cluster,
  Metal3Machine,
  Metal3MachineTemplate,
} from '../../api/index.ts';
import type { HostChoice } from '../choice/choose-host.ts';
import type { NodeSearch } from '../nodes/workload-nodes.ts';
import type { MachineNetwork } from '../ports.ts';
import type { MachineSettings } from '../settings.ts';

/** What the controller of Metal3Machines looks at. */
export interface Metal3MachineSeen {
  readonly object: Metal3Machine;
  /** The Machine that it is for. */
  readonly machine: Machine | undefined;
  readonly cluster: Cluster | undefined;
  readonly metal3Cluster: Metal3Cluster | undefined;
  readonly template: Metal3MachineTemplate | undefined;
  /** The host whose consumer it is. */
  readonly host: BareMetalHost | undefined;
  /** The host that it has chosen and does not have yet, while that can still be taken. */
  readonly chosen: BareMetalHost | undefined;
  /** Chooses one of the hosts that there are. */
  readonly choose: () => HostChoice;
  /** For whom a host that it gives back is kept; undefined when it is not. */
  readonly reuse: Reuse | undefined;
  /** Whether its node was found; only looked for once the host runs what it should. */
  readonly nodes: NodeSearch;
  readonly network: MachineNetwork;
  readonly settings: MachineSettings;
}

/** For whom a host is kept. */
export interface Reuse {
  /** What the host is labelled with. */
  readonly name: string;
  /** The deployment or set whose next machine takes it; a host is kept only while that is there. */
  readonly keeper: { readonly resource: 'deployments' | 'sets'; readonly name: string } | undefined;
}

/** True when nothing may be done: the Cluster is paused, or the object itself. */
export function isPaused({ metadata }: Metal3Machine | Metal3Cluster, cluster: Cluster | undefined): boolean {
  return cluster?.spec?.paused === true || metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
}
