import type { HostIdentity, Outcome, Provisioner, Provisioners } from '../provisioner.ts';

/** What is said of hosts that nothing provisions. */
export interface AbsenceOptions {
  /** Why there is nothing, and what to do about it, in words for the owner of a host. */
  readonly message: string;
  /** How long to wait until it is asked again; 10 min unless given, since only a new start changes anything. */
  readonly pollMs?: number | undefined;
}

/** For hosts that no provisioner is there for: nothing is done to them, and they wait until there is one. */
export function createAbsentProvisioners({ message, pollMs = 600_000 }: AbsenceOptions): Provisioners {
  const unavailable: Outcome<never> = { kind: 'unavailable', message, afterMs: pollMs };
  const wait = async (): Promise<Outcome<never>> => unavailable;
  return {
    of: (host) => absentProvisionerOf(host, wait),
    hasCapacity: wait,
    bootImageFormats: undefined,
    async close() {},
  };
}

function absentProvisionerOf(host: HostIdentity, wait: () => Promise<Outcome<never>>): Provisioner {
  return {
    register: wait,
    importHost: wait,
    adopt: wait,
    inspect: wait,
    readInventory: wait,
    look: wait,
    prepare: wait,
    service: wait,
    provision: wait,
    deprovision: wait,
    setPower: wait,
    detach: wait,
    // Nobody knows a host without an id; who knows one that has an id is not here to forget it.
    remove: async () => (host.id === undefined ? { kind: 'done', value: undefined } : wait()),
    attachDataImage: wait,
    detachDataImage: wait,
    readFirmwareSettings: wait,
    readFirmwareComponents: wait,
    // Nothing that could be told works on the host: it is in nobody's way.
    setMaintenance: async () => ({ kind: 'unregistered' }),
  };
}
