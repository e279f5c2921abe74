import { type Clock, systemClock } from '../../../kube/index.ts';
import type { HostIdentity, Provisioners } from '../../provisioner.ts';
import { refuseBmcWork } from '../../without-bmc.ts';
import type { DemoArrivals } from './demo-arrivals.ts';
import { demoId } from './demo-hardware.ts';
import { demoProvisionerOf } from './demo-provisioner.ts';
import { type DemoRecord, restoreRecord } from './demo-record.ts';
import type { DemoPace, DemoScript } from './pace.ts';
import type { DemoBehaviour } from './take-step.ts';

/** For tests: how demo hosts behave. */
export interface DemoOptions {
  /** How long each step takes where no script says otherwise; `instant` unless given. */
  readonly pace?: DemoPace | undefined;
  /** Says what becomes of single attempts; names that Metal3's demo knows behave as they do there all the same. */
  readonly script?: DemoScript | undefined;
  /** How many hosts may be inspected, provisioned and deprovisioned at once; without a limit unless given. */
  readonly provisioningLimit?: number | undefined;
  /** How long to wait until a host is looked at again; 5 s unless given. */
  readonly pollMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Machines that come by themselves; none do unless given. */
  readonly arrivals?: DemoArrivals | undefined;
}

/** The steps that a limit counts. */
const limitedSteps = ['inspect', 'provision', 'deprovision'];

/** For tests: hosts that exist in memory only. After a restart a host is known again by its id. */
export function createDemoProvisioners(options: DemoOptions = {}): Provisioners {
  const { pace = { kind: 'instant' }, script, pollMs = 5000, clock = systemClock } = options;
  const { arrivals, provisioningLimit } = options;
  const behaviour: DemoBehaviour = { clock, pace, script, pollMs };
  const known = new Map<string, DemoRecord>();
  /** Those that were told to be no more, whose ids may still be asked for. */
  const forgotten = new Set<string>();
  const keyOf = ({ namespace, name }: HostIdentity): string => `${namespace}/${name}`;
  const arrivalOf = ({ id, bootMacAddress }: HostIdentity) => arrivals?.find({ id, bootMac: bootMacAddress });
  const records = {
    find(host: HostIdentity): DemoRecord | undefined {
      const key = keyOf(host);
      const found = known.get(key);
      const isOwn = host.id === demoId(host) || (host.id !== undefined && arrivalOf(host)?.id === host.id);
      if (found !== undefined || forgotten.has(key) || !isOwn) return found;
      const restored = { ...restoreRecord(host), id: host.id ?? demoId(host) };
      known.set(key, restored);
      return restored;
    },
    peek: (host: HostIdentity): DemoRecord | undefined => known.get(keyOf(host)),
    add(host: HostIdentity, record: DemoRecord): void {
      forgotten.delete(keyOf(host));
      known.set(keyOf(host), record);
    },
    remove(host: HostIdentity): void {
      const arrival = records.arrival(host);
      const id = known.get(keyOf(host))?.id ?? (arrival?.owner === undefined ? arrival?.machine.id : undefined);
      if (id !== undefined) arrivals?.forget(id);
      forgotten.add(keyOf(host));
      known.delete(keyOf(host));
    },
    arrival(host: HostIdentity) {
      const machine = arrivalOf(host);
      if (machine === undefined) return undefined;
      const owner = [...known].find(([key, { id }]) => id === machine.id && key !== keyOf(host))?.[0];
      return { machine, owner };
    },
  };
  const isLimited = (record: DemoRecord | undefined): boolean => limitedSteps.includes(record?.work?.step ?? '');
  return {
    of(host) {
      const provisioner = demoProvisionerOf(behaviour, records, host);
      return host.bmc === undefined ? refuseBmcWork(provisioner) : provisioner;
    },
    async hasCapacity(host) {
      if (provisioningLimit === undefined || isLimited(known.get(keyOf(host)))) return { kind: 'done', value: true };
      const working = [...known.values()].filter(isLimited).length;
      return { kind: 'done', value: working < provisioningLimit };
    },
    bootImageFormats: undefined,
    ...(arrivals === undefined ? {} : { sources: [arrivals.source] }),
    async close() {
      known.clear();
    },
  };
}
