import type { DataCentre, Host, Machine, Personality } from '../../../simulator/index.ts';
import {
  type DemoMachine,
  type FirmwareComponentSeen,
  type FirmwareSettingSchema,
  type FirmwareSettings,
  type HostIdentity,
  type PowerOrder,
  readBmcAddress,
} from '../../provisioners/index.ts';
import { rackHardware } from './rack-hardware.ts';

/** Finds the simulated server behind a host by the address of its BMC; undefined for every other host. */
export type RackMachines = (host: Pick<HostIdentity, 'bmc'>) => DemoMachine | undefined;

/** The servers of a rack, each as the machine behind a host. */
export function openRackMachines({ bmcs, hosts }: Pick<DataCentre, 'bmcs' | 'hosts'>): RackMachines {
  const runs = new Map(hosts.map((host) => [host.machine.name, host]));
  const machines = new Map(
    bmcs.map(({ url, machine }) => [new URL(url).origin, rackMachineOf(machine, runs.get(machine.name))]),
  );
  return ({ bmc }) => {
    const reading = bmc === undefined ? undefined : readBmcAddress(bmc.address);
    return reading?.kind === 'known' ? machines.get(reading.address.origin) : undefined;
  };
}

function rackMachineOf(machine: Machine, host: Host | undefined): DemoMachine {
  return {
    readHardware: () => rackHardware(machine),
    readPower() {
      const { state } = machine.power;
      if (state === 'On') return 'on';
      return state === 'Off' ? 'off' : 'changing';
    },
    switchPower: (order) => pressAny(machine, resetsFor(order)),
    bootFromNetwork() {
      const target = machine.power.state === 'Off' ? 'on' : 'reboot';
      const isSet = machine.boot.set({ enabled: 'Once', target: 'Pxe' }) === 'ok';
      return isSet && pressAny(machine, resetsFor({ target, mode: 'hard' }));
    },
    readSettings: () => ({
      settings: Object.fromEntries(Object.entries(machine.bios.current).map(([name, value]) => [name, String(value)])),
      schema: schemaOf(machine.personality),
      vendor: machine.personality.manufacturer,
      model: machine.hardware.model,
    }),
    stageSettings(settings) {
      const outcome = machine.bios.stage(typedFor(machine.personality, settings));
      if (outcome === 'ok') return undefined;
      return `the BIOS refuses ${outcome.map(({ attribute, problem }) => `${attribute} (${problem})`).join(', ')}`;
    },
    hasStagedSettings: () => Object.keys(machine.bios.pending).length > 0,
    readComponents: () => componentsOf(machine),
    writeDisk: (image) =>
      // Nothing is fetched: hosts of a rack are to be provisioned without any network.
      host?.writeDisk(image === undefined ? undefined : { url: image.url, ...unread }),
  };
}

const unread = { sizeBytes: 0, sha256: '', hasConfigDrive: false } as const;

/** What to press, from what is meant to what does it too: not every BMC has everything. */
function resetsFor({ target, mode }: Pick<PowerOrder, 'target' | 'mode'>): readonly string[] {
  const soft = { on: [], off: ['GracefulShutdown'], reboot: ['GracefulRestart'] }[target];
  const hard = { on: ['On', 'ForceOn'], off: ['ForceOff'], reboot: ['ForceRestart', 'PowerCycle'] }[target];
  return mode === 'soft' ? [...soft, ...hard] : hard;
}

function pressAny(machine: Machine, types: readonly string[]): boolean {
  const known = types.find((type) => machine.personality.service.resetTypes.includes(type));
  return known !== undefined && machine.power.reset(known) === 'ok';
}

function schemaOf({ bios }: Personality): Readonly<Record<string, FirmwareSettingSchema>> {
  return Object.fromEntries(
    bios.map(({ name, type, values, lowerBound, upperBound, maxLength, isReadOnly }) => [
      name,
      {
        attribute_type: type,
        read_only: isReadOnly === true,
        ...(values === undefined ? {} : { allowable_values: values }),
        ...(lowerBound === undefined ? {} : { lower_bound: lowerBound }),
        ...(upperBound === undefined ? {} : { upper_bound: upperBound }),
        ...(maxLength === undefined ? {} : { max_length: maxLength }),
      },
    ]),
  );
}

/** Owners may write every value as a text; a BIOS wants it as what it is. */
function typedFor(
  { bios }: Personality,
  settings: FirmwareSettings,
): Readonly<Record<string, string | number | boolean>> {
  const types = new Map(bios.map(({ name, type }) => [name, type]));
  const typed = (name: string, value: string | number): string | number | boolean => {
    const type = types.get(name);
    if (type === 'Integer') return Number(value);
    if (type === 'Boolean' && /^(true|false)$/i.test(String(value))) return String(value).toLowerCase() === 'true';
    return String(value);
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, typed(name, value)]));
}

/** BIOS and BMC; where there are two of one, the first is the one in use. */
function componentsOf(machine: Machine): readonly FirmwareComponentSeen[] {
  const now = machine.reportedFirmware?.() ?? machine.firmware;
  const initially = machine.personality.firmware(machine.hardware);
  return (['bios', 'bmc'] as const).flatMap((component) => {
    const slot = now.find((each) => each.component === component);
    if (slot === undefined) return [];
    const first = initially.find((each) => each.slot === slot.slot)?.version ?? slot.version;
    const isFlashed = slot.version !== first;
    return {
      component,
      initialVersion: first,
      currentVersion: slot.version,
      ...(isFlashed ? { lastVersionFlashed: slot.version } : {}),
    };
  });
}
