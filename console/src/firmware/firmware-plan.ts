import { ask } from '../api/request.ts';

/** What `POST /plan` answers, as far as the page goes. */
export interface FirmwarePlan {
  readonly madeAt: string;
  readonly groups: readonly {
    readonly name: string;
    readonly serversInGroup: number;
    readonly writesTo: number;
    readonly reasons: readonly PlanReason[];
  }[];
  readonly servers: readonly ServerPlan[];
  readonly warnings?: readonly string[];
}

/** Why something is as it is. */
export interface PlanReason {
  readonly code: string;
  readonly message: string;
}

/** What would be done to one server. */
export interface ServerPlan {
  readonly server: string;
  readonly serverFirmware?: string;
  readonly model?: string;
  readonly group?: string;
  readonly state: string;
  readonly isScanFirst: boolean;
  readonly isHostOff: boolean;
  readonly writes?: { readonly group?: string };
  readonly installs: readonly {
    readonly order: number;
    readonly name: string;
    readonly installed?: string;
    readonly wanted: string;
    readonly relation: string;
    readonly restarts: 'host' | 'bmc' | 'none';
  }[];
  readonly waiting: readonly {
    readonly name: string;
    readonly installed?: string;
    readonly wanted: string;
    readonly reason: string;
  }[];
  readonly hostReboots: number;
  readonly bmcRestarts: number;
  readonly reasons: readonly PlanReason[];
  readonly notes: readonly PlanReason[];
}

/** Asks what would happen if these objects were written; nothing is. */
export function askPlan(objects: readonly object[], signal?: AbortSignal): Promise<FirmwarePlan> {
  return ask<FirmwarePlan>({ method: 'POST', path: '/plan', body: { objects }, signal });
}

/** The servers that a change of a group has to do with. */
export function concernedServers(plan: FirmwarePlan, group: string): readonly ServerPlan[] {
  return plan.servers.filter((server) => server.group === group || server.writes?.group === group);
}

/** `2 servers get 5 installs, with 2 restarts of hosts and 1 of BMCs.` */
export function planSentence(servers: readonly ServerPlan[]): string {
  const sum = (of: (server: ServerPlan) => number): number => servers.reduce((total, each) => total + of(each), 0);
  // What the last scan did not see is left out of an update that does not find it either.
  const expected = servers.map(({ installs }) => installs.filter(({ relation }) => relation !== 'missing').length);
  const updated = expected.filter((count) => count > 0).length;
  const installs = expected.reduce((total, count) => total + count, 0);
  if (servers.length === 0) return 'The group would have no servers.';
  if (installs === 0) return `Nothing would be installed on its ${counted(servers.length, 'server')}.`;
  const hosts = sum(({ hostReboots }) => hostReboots);
  const bmcs = sum(({ bmcRestarts }) => bmcRestarts);
  return `${counted(installs, 'install')} on ${updated} of ${counted(servers.length, 'server')}, with ${counted(hosts, 'restart')} of hosts and ${bmcs} of BMCs.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
