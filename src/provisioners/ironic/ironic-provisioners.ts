import type { Gates, TlsTrust } from '../../bmc/index.ts';
import { type Clock, type Random, systemClock } from '../../kube/index.ts';
import type { BootImage, HostIdentity, Provisioner, Provisioners } from '../provisioner.ts';
import { refuseBmcWork } from '../without-bmc.ts';
import { createBmcComparison } from './bmc-comparison.ts';
import { createCapacity } from './capacity.ts';
import { createIronicClient, type IronicConnection } from './client/index.ts';
import { createIronicDiscovery } from './discovery/index.ts';
import { readFirmwareComponents, readFirmwareSettings } from './firmware/index.ts';
import { type Operation, operate } from './moves/index.ts';
import {
  adopting,
  attachDataImage,
  deprovisioning,
  detachDataImage,
  detachHost,
  importHost,
  inspecting,
  lookAtHost,
  preparing,
  provisioning,
  readInventory,
  registerHost,
  removeHost,
  servicing,
  setMaintenance,
  setPower,
} from './operations/index.ts';
import { outcomeOf } from './outcome-of.ts';
import type { Delays, IronicSettings, Workplace } from './workplace.ts';

/** An Ironic, and how it is used. */
export interface IronicOptions extends IronicConnection {
  /** How many hosts it may inspect, provision and deprovision at once; 20 unless given, 0 for no limit. */
  readonly provisioningLimit?: number | undefined;
  readonly deployImages?: IronicSettings['deployImages'];
  /** The formats of boot images that are made for each host; without it Ironic's own image is booted. */
  readonly bootImageFormats?: readonly BootImage['format'][] | undefined;
  /** How BMCs are asked past Ironic, which cannot tell whose one is: only whether it is the one of a discovered host. */
  readonly bmcs?: { readonly gates: Gates; readonly trustOf?: ((origin: string) => TlsTrust) | undefined } | undefined;
  readonly delays?: Partial<Delays> | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

const defaultLimit = 20;
const defaultDelays: Delays = { shortMs: 3000, longMs: 10_000, awayMs: 30_000 };

/** Hosts that an Ironic owns, over its REST API. */
export function createIronicProvisioners(options: IronicOptions): Provisioners {
  const { provisioningLimit = defaultLimit, clock = systemClock, random = Math.random, bootImageFormats } = options;
  const client = createIronicClient(options);
  const capacity = createCapacity({ client, clock, limit: provisioningLimit === 0 ? undefined : provisioningLimit });
  const settings: IronicSettings = {
    deployImages: options.deployImages,
    needsBootImage: bootImageFormats !== undefined,
  };
  const delays = { ...defaultDelays, ...options.delays };
  const compareBmc = options.bmcs === undefined ? undefined : createBmcComparison({ ...options.bmcs, clock, random });
  const placeOf = (host: HostIdentity): Workplace => ({
    ...{ client, host, settings, delays, clock, random, compareBmc },
  });
  return {
    of(host) {
      const provisioner = provisionerAt(placeOf(host));
      return host.bmc === undefined ? refuseBmcWork(provisioner) : provisioner;
    },
    hasCapacity: (host, order) =>
      outcomeOf(placeOf(host), async () => ({ kind: 'done', value: await capacity.admit(host, order) })),
    bootImageFormats,
    sources: [createIronicDiscovery({ client, delays, random })],
    close: () => client.close(),
  };
}

function provisionerAt(place: Workplace): Provisioner {
  const by =
    <Order, Special extends string, T>(operation: Operation<Order, Special, T>) =>
    (order: Order) =>
      outcomeOf(place, () => operate(place, operation, order));
  return {
    register: (order) => outcomeOf(place, () => registerHost(place, order)),
    importHost: (order) => outcomeOf(place, () => importHost(place, order)),
    adopt: by(adopting),
    inspect: by(inspecting),
    readInventory: () => outcomeOf(place, () => readInventory(place)),
    look: () => outcomeOf(place, () => lookAtHost(place)),
    prepare: by(preparing),
    service: by(servicing),
    provision: by(provisioning),
    deprovision: by(deprovisioning),
    setPower: (order) => outcomeOf(place, () => setPower(place, order)),
    detach: (order) => outcomeOf(place, () => detachHost(place, order)),
    remove: () => outcomeOf(place, () => removeHost(place)),
    readFirmwareSettings: () => outcomeOf(place, () => readFirmwareSettings(place)),
    readFirmwareComponents: () => outcomeOf(place, () => readFirmwareComponents(place)),
    attachDataImage: (order) => outcomeOf(place, () => attachDataImage(place, order)),
    detachDataImage: (order) => outcomeOf(place, () => detachDataImage(place, order)),
    setMaintenance: (reason) => outcomeOf(place, () => setMaintenance(place, reason)),
  };
}
