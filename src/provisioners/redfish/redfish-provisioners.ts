import type { Gates, TlsTrust } from '../../bmc/index.ts';
import { createEgress, type Egress } from '../../egress/index.ts';
import { type Clock, type Random, systemClock } from '../../kube/index.ts';
import type { HostIdentity, Outcome, Provisioner, Provisioners } from '../provisioner.ts';
import { createAdmission } from './admit-hosts.ts';
import { createBackgroundWork } from './background-work.ts';
import { createBusyBmcs } from './busy-bmcs.ts';
import type { HostRecords } from './host-record.ts';
import { prepareHost, serviceHost } from './operations/change-firmware.ts';
import { attachImage, detachImage } from './operations/data-image.ts';
import { checkUpdates } from './operations/find-images.ts';
import { detachHost, removeHost } from './operations/forget.ts';
import { inspectHost, knownInventory, readMarks } from './operations/inspect.ts';
import { lookAtHost } from './operations/look.ts';
import { bootFromNetwork, switchPower } from './operations/power.ts';
import { deprovisionHost, provisionHost } from './operations/provision.ts';
import { adoptHost, registerHost } from './operations/register.ts';
import type { FirmwareDesk, ImageCatalogue, ImageLinks } from './ports.ts';
import { readFirmwareComponents, readFirmwareSettings } from './reading/read-firmware.ts';
import {
  changeRecord,
  createReach,
  done,
  outcomeOf,
  type RedfishParts,
  type Workplace,
  withRecord,
} from './workplace.ts';

/** What hosts are looked after with where there is no Ironic. */
export interface RedfishOptions {
  /** The gates of the process. */
  readonly gates: Gates;
  readonly records: HostRecords;
  readonly desk: FirmwareDesk;
  readonly catalogue: ImageCatalogue;
  /** Reads images that are not in the catalogue; without it they are refused. */
  readonly links?: ImageLinks | undefined;
  /** What BMCs may be told to fetch; all but guarded addresses unless given. */
  readonly egress?: Pick<Egress, 'check'> | undefined;
  /** How the certificate at an address is checked; by the authorities of the system unless given. */
  readonly trustOf?: ((origin: string) => TlsTrust) | undefined;
  /** How many hosts may be serviced at once; without a limit unless given. */
  readonly limit?: number | undefined;
  /** How long to wait until a host is looked at again; 5 s unless given. */
  readonly pollMs?: number | undefined;
  /** How long reading the power of a host may take before its BMC counts as silent; 15 s unless given. */
  readonly lookMs?: number | undefined;
  /** How long an update that a BMC is at is waited for before that is a failure; two hours unless given. */
  readonly updateWaitMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/**
 * Hosts that their BMCs alone look after, without an Ironic: power, inspection by the BMC, live ISOs from a virtual
 * drive, and changes of firmware by way of the engine. Disk images and RAID are refused before anything is done.
 */
export function createRedfishProvisioners(options: RedfishOptions): Provisioners {
  const {
    clock = systemClock,
    random = Math.random,
    pollMs = 5000,
    lookMs = 15_000,
    updateWaitMs = 7_200_000,
    limit,
  } = options;
  const trustOf = options.trustOf ?? ((): TlsTrust => ({ kind: 'system' }));
  const egress = options.egress ?? createEgress();
  const parts: RedfishParts = { ...options, egress, clock, random, trustOf, pollMs, lookMs, updateWaitMs };
  const reach = createReach(parts);
  const background = createBackgroundWork();
  const busyBmcs = createBusyBmcs(clock);
  const placeOf = (host: HostIdentity): Workplace => ({
    ...{ parts, host, background, busyBmcs },
    reach: () => reach(host),
  });
  const admission = createAdmission({ records: options.records, clock, limit });
  return {
    of: (host) => provisionerAt(placeOf(host)),
    // Inspecting is asking a BMC, and booting an ISO is a word to it: only changes of firmware go on for long.
    hasCapacity: async (host, order) => ({
      kind: 'done',
      value: (order?.what ?? 'service') !== 'service' || (await admission.admit(host, order?.serviced)),
    }),
    bootImageFormats: undefined,
    worksByConditions: true,
    close: () => background.settle(),
  };
}

function provisionerAt(place: Workplace): Provisioner {
  const by =
    <Order, T>(operation: (place: Workplace, order: Order) => Promise<Outcome<T>>) =>
    (order: Order) =>
      outcomeOf(place, operation.name, () => operation(place, order));
  const plainly = <T>(operation: (place: Workplace) => Promise<Outcome<T>>) =>
    outcomeOf(place, operation.name, () => operation(place));
  return {
    register: by(registerHost),
    adopt: ({ deployment }) => outcomeOf(place, adoptHost.name, () => adoptHost(place, deployment)),
    inspect: by(inspectHost),
    readInventory: () => plainly(knownInventory),
    look: () => plainly(lookAtHost),
    prepare: by(prepareHost),
    service: by(serviceHost),
    provision: by(provisionHost),
    deprovision: by(deprovisionHost),
    setPower: by(switchPower),
    bootFromNetwork: () => plainly(bootFromNetwork),
    readMarks: () => plainly(readMarks),
    detach: by(detachHost),
    remove: () => plainly(removeHost),
    readFirmwareSettings: () => plainly(readFirmwareSettings),
    readFirmwareComponents: () => plainly(readFirmwareComponents),
    checkUpdates: by(checkUpdates),
    attachDataImage: by(attachImage),
    detachDataImage: () => plainly(detachImage),
    setMaintenance: (reason) =>
      withRecord(place, async () => {
        await changeRecord(place, ({ maintenance: _, ...now }) =>
          reason === undefined ? now : { ...now, maintenance: reason },
        );
        return done;
      }),
  };
}
