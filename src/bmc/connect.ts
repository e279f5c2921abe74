import type { Clock, Random } from '../kube/index.ts';
import type { Bmc, BmcNotes, ServiceRoot } from './bmc.ts';
import type { BmcEndpoint, GateLane, Gates, LeaseCheck } from './gate/gate.ts';
import { readBmcVendor } from './redfish/bmc-vendor.ts';
import { bareRoot } from './redfish/service-root.ts';

/** Whom to connect to, and how. */
export interface ConnectOptions {
  readonly gates: Gates;
  readonly endpoint: BmcEndpoint;
  readonly clock: Clock;
  /** For jitter; Math.random unless given. */
  readonly random?: Random;
  /** The system this is about, where the BMC has several. */
  readonly systemPath?: string;
  readonly checkLease?: LeaseCheck;
}

/** A BMC through its gate. Nothing is sent before something is asked. */
export function connectBmc(options: ConnectOptions): Bmc {
  const { gates, endpoint, checkLease } = options;
  return connectOver({ ...options, gate: gates.open(endpoint, checkLease === undefined ? {} : { checkLease }) });
}

/** A BMC over a lane that is already open. */
export function connectOver(options: {
  readonly gate: GateLane;
  readonly clock: Clock;
  readonly random?: Random;
  readonly systemPath?: string;
}): Bmc {
  const notes: BmcNotes = {};
  const bmc: Bmc = {
    gate: options.gate,
    clock: options.clock,
    random: options.random ?? Math.random,
    systemPath: options.systemPath,
    notes,
    root: () => rootWithVendor(bmc, notes),
  };
  return bmc;
}

/** The root of some BMCs does not say whose it is; then the manager is asked, once. */
async function rootWithVendor(bmc: Bmc, notes: BmcNotes): Promise<ServiceRoot> {
  const root = await bareRoot(bmc);
  if (root.vendor !== 'generic') return root;
  notes.vendor ??= await readBmcVendor(bmc, root);
  return { ...root, vendor: notes.vendor };
}
