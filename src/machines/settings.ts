/** What can be tuned. */
export interface MachineSettings {
  /** How often the node of a host that has been deployed is looked for in a cluster elsewhere. */
  readonly nodePollMs: number;
  /** How often the node of a running machine in a cluster elsewhere is read again; nodes of the own API are followed. */
  readonly nodeHealthPollMs: number;
  /** How often a machine that asks for networks looks again whether a host has the switch ports for them. */
  readonly networkPollMs: number;
  /** How long changes of hosts are gathered before those that wait for one look again. */
  readonly gatherMs: number;
  /** True: hosts that are cleaned stay on when they are given back, so that the next deployment starts at once. */
  readonly isFastTrack: boolean;
  /** Every object is looked at again this often, should anything have been missed. */
  readonly resyncMs: number;
}

/** The settings unless told otherwise. */
export const defaultMachineSettings: MachineSettings = {
  nodePollMs: 10_000,
  nodeHealthPollMs: 30_000,
  networkPollMs: 15_000,
  gatherMs: 50,
  isFastTrack: false,
  resyncMs: 60 * 60_000,
};
