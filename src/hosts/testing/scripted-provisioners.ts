import type { HardwareDetails } from '../../api/index.ts';
import type {
  FirmwareComponentSeen,
  FirmwareSettingSchema,
  HostIdentity,
  Outcome,
  PowerOrder,
  Preparation,
  Provisioner,
  Provisioners,
  Serviced,
  Servicing,
} from '../../provisioners/index.ts';

/** For tests: what a provisioner was told. */
export interface Call {
  readonly host: string;
  readonly method: string;
  readonly order: unknown;
  readonly identity: HostIdentity;
}

/** For tests: a machine as its provisioner knows it. */
export interface Machine {
  isPoweredOn: boolean;
  settings: Record<string, string>;
  components: FirmwareComponentSeen[];
  hardware: HardwareDetails;
  /** What is in its virtual drive. */
  dataImage?: string | undefined;
}

/** For tests: provisioners whose answers can be laid down; otherwise all is done at once. */
export interface ScriptedProvisioners extends Provisioners {
  readonly calls: Call[];
  /** The methods that were called, in order. */
  methods(host?: string): string[];
  /** The next answers to a method, for all hosts; when they are used up all is done at once again. */
  answer(method: keyof Provisioner | 'hasCapacity', ...outcomes: readonly Outcome<never>[]): void;
  machine(host: string): Machine;
}

/** For tests: hardware as an inspection finds it. */
export const someHardware: HardwareDetails = {
  systemVendor: { manufacturer: 'Example Inc.', productName: 'R1', serialNumber: 'SN0007' },
  ramMebibytes: 262_144,
  cpu: { arch: 'x86_64', count: 64 },
  nics: [{ name: 'eno1', mac: '52:54:00:aa:00:07' }],
};

/** For tests: the settings that machines have, and what they take. */
export const someSchema: Readonly<Record<string, FirmwareSettingSchema>> = {
  ProcVirtualization: { attribute_type: 'Enumeration', allowable_values: ['Enabled', 'Disabled'], read_only: false },
  NumaNodesPerSocket: { attribute_type: 'Integer', lower_bound: 1, upper_bound: 4 },
  AssetTag: { attribute_type: 'String', min_length: 1, max_length: 8 },
  QuietBoot: { attribute_type: 'Boolean' },
  BiosVersion: { attribute_type: 'String', read_only: true },
};

/** Two machines never share a serial number or a MAC address; the first one has `someHardware`. */
function hardwareOfMachine(number: number): HardwareDetails {
  const hex = (number & 255).toString(16).padStart(2, '0');
  return {
    ...someHardware,
    systemVendor: { ...someHardware.systemVendor, serialNumber: `SN${String(number).padStart(4, '0')}` },
    nics: [{ name: 'eno1', mac: `52:54:00:aa:${(number >> 8).toString(16).padStart(2, '0')}:${hex}` }],
  };
}

function newMachine(number: number): Machine {
  return {
    isPoweredOn: true,
    settings: {
      ProcVirtualization: 'Disabled',
      NumaNodesPerSocket: '1',
      AssetTag: 'a',
      QuietBoot: 'true',
      BiosVersion: '1',
      AdminPassword: 'x',
    },
    components: [
      { component: 'bios', initialVersion: '1.0', currentVersion: '1.0' },
      { component: 'bmc', initialVersion: '2.0', currentVersion: '2.0' },
    ],
    hardware: hardwareOfMachine(number),
  };
}

/** For tests: makes such provisioners. */
export function createScriptedProvisioners(
  more: Partial<Pick<Provisioners, 'bootImageFormats'>> = {},
): ScriptedProvisioners {
  const calls: Call[] = [];
  const scripts = new Map<string, Outcome<never>[]>();
  const machines = new Map<string, Machine>();
  const machine = (host: string): Machine => {
    const known = machines.get(host) ?? newMachine(7 + machines.size);
    machines.set(host, known);
    return known;
  };
  const done = <T>(value: T): Outcome<T> => ({ kind: 'done', value });
  const reply = async <T>(
    identity: HostIdentity,
    method: string,
    order: unknown,
    good: () => T,
  ): Promise<Outcome<T>> => {
    calls.push({ host: identity.name, method, order, identity });
    return scripts.get(method)?.shift() ?? done(good());
  };
  return {
    calls,
    methods: (host) => calls.filter((call) => host === undefined || call.host === host).map(({ method }) => method),
    answer: (method, ...outcomes) => void scripts.set(method, [...(scripts.get(method) ?? []), ...outcomes]),
    machine,
    hasCapacity: (identity) => reply(identity, 'hasCapacity', undefined, () => true),
    bootImageFormats: more.bootImageFormats,
    close: async () => {},
    of: (identity) => provisionerOf(identity, { reply, machine: machine(identity.name) }),
  };
}

interface Playing {
  readonly reply: <T>(identity: HostIdentity, method: string, order: unknown, good: () => T) => Promise<Outcome<T>>;
  readonly machine: Machine;
}

function provisionerOf(identity: HostIdentity, { reply, machine }: Playing): Provisioner {
  const nothing = (): undefined => undefined;
  const call = <T>(method: string, order: unknown, good: () => T): Promise<Outcome<T>> =>
    reply(identity, method, order, good);
  const prepared = ({ settings = {} }: Preparation): undefined => {
    for (const [name, value] of Object.entries(settings)) machine.settings[name] = String(value);
  };
  const serviced = ({ settings = {}, updates = [], isSpecified }: Servicing): Serviced => {
    if (!isSpecified) return { settings: {}, updates: [] };
    prepared({ isRetry: false, isWanted: true, settings });
    return { settings, updates };
  };
  const powered = ({ target }: PowerOrder): undefined => {
    machine.isPoweredOn = target !== 'off';
  };
  const fill = (url: string | undefined): undefined => {
    machine.dataImage = url;
  };
  return {
    register: (order) => call('register', order, () => ({ id: identity.id ?? `id-${identity.name}` })),
    importHost: (order) => call('importHost', order, () => ({ id: identity.id ?? `id-${identity.name}` })),
    adopt: (order) => call('adopt', order, nothing),
    inspect: (order) => call('inspect', order, () => machine.hardware),
    readInventory: () => call('readInventory', undefined, () => machine.hardware),
    look: () => call('look', undefined, () => ({ isPoweredOn: machine.isPoweredOn, health: 'OK' })),
    prepare: (order) => call('prepare', order, () => prepared(order)),
    service: (order) => call('service', order, () => serviced(order)),
    provision: (order) => call('provision', order, nothing),
    deprovision: (order) => call('deprovision', order, nothing),
    setPower: (order) => call('setPower', order, () => powered(order)),
    detach: (order) => call('detach', order, nothing),
    remove: () => call('remove', undefined, nothing),
    readFirmwareSettings: () =>
      call('readFirmwareSettings', undefined, () => ({
        settings: { ...machine.settings },
        schema: someSchema,
        vendor: 'Example Inc.',
        model: 'R1',
      })),
    readFirmwareComponents: () => call('readFirmwareComponents', undefined, () => machine.components),
    attachDataImage: (order) => call('attachDataImage', order, () => fill(order.url)),
    detachDataImage: (order) => call('detachDataImage', order, () => fill(undefined)),
    setMaintenance: (order) => call('setMaintenance', order, nothing),
  };
}
