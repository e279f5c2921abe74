import assert from 'node:assert/strict';
import {
  createSteppedClock,
  type PersonalityName,
  personalityOf,
  type RunningBmc,
  startDataCentre,
} from '../../../simulator/index.ts';
import type { Clock } from '../../kube/index.ts';
import type { Bmc, VendorName } from '../bmc.ts';
import { connectBmc } from '../connect.ts';
import { createGates } from '../gate/gates.ts';
import { writeNextBios } from './simulator-bios.ts';
import type { ContractTarget, RunningTarget, TargetCapabilities, TargetHardware } from './target.ts';

const vendors: Readonly<Record<PersonalityName, VendorName>> = {
  'dell-idrac9': 'dell',
  'hpe-ilo5': 'hpe',
  'hpe-ilo6': 'hpe',
  'lenovo-xcc': 'lenovo',
  'supermicro-x12': 'supermicro',
  openbmc: 'openbmc',
};

/** A simulated BMC as a target of the contract, over TLS, in time that moves when everybody waits. */
export function simulatorTarget(personality: PersonalityName): ContractTarget {
  const { service } = personalityOf(personality);
  const capabilities: TargetCapabilities = {
    hasReset: true,
    hasGracefulShutdown: true,
    bootOverride: 'once',
    bios: 'on-reset',
    hasVirtualMedia: true,
    hasManagerReset: true,
    hasFirmware: true,
    hasIndicator: true,
    hasSecureBoot: true,
    hasNeighbours: true,
    hasUpdate: true,
    // HPE and Lenovo say it in words of their own.
    hasBootProgress: service.hasBootProgress || /^(?:hpe|lenovo)/.test(personality),
    hasEventStream: service.hasEventStream,
  };
  return { name: `simulated ${personality}`, capabilities, start: () => start(personality, capabilities) };
}

async function start(personality: PersonalityName, capabilities: TargetCapabilities): Promise<RunningTarget> {
  const clock = createSteppedClock();
  const options = { seed: 11, servers: 1, personalities: [personality], addressing: 'port' as const };
  const dataCentre = await startDataCentre({ ...options, arePoweredOn: true, clock });
  const [running] = dataCentre.bmcs;
  assert.ok(running);
  const { machine } = running;
  const bios = await writeNextBios(machine);
  return {
    capabilities,
    hardware: hardwareOf(running, vendors[personality]),
    mediumUri: 'http://127.0.0.1:9/boot.iso',
    asProcess: (work) =>
      clock.run(machine.name, (party) => inProcess(running, { clock: party, caPem: dataCentre.caPem }, work)),
    biosUpdate: async () => bios.goal,
    countSessions: async () => machine.sessions.all.length,
    async close() {
      await bios.remove();
      await dataCentre.close();
      clock.close();
    },
  };
}

function hardwareOf({ machine }: RunningBmc, vendor: VendorName): TargetHardware {
  const { uuid, processors, dimms, drives, nics } = machine.hardware;
  return {
    vendor,
    uuid,
    processors: processors.length,
    memory: dimms.length,
    drives: drives.length,
    macs: nics.flatMap(({ ports }) => ports.map(({ mac }) => mac.toLowerCase())),
    ...versionOf(
      'biosVersion',
      machine.firmware.find(({ component }) => component === 'bios'),
    ),
    ...versionOf(
      'bmcVersion',
      machine.firmware.find(({ component }) => component === 'bmc'),
    ),
  };
}

function versionOf(member: 'biosVersion' | 'bmcVersion', slot: { readonly version: string } | undefined) {
  return slot === undefined ? {} : { [member]: slot.version };
}

async function inProcess<T>(
  { url, username, password }: RunningBmc,
  about: { readonly clock: Clock; readonly caPem: string | undefined },
  work: (bmc: Bmc) => Promise<T>,
): Promise<T> {
  const { clock, caPem } = about;
  const random = () => 0.5;
  // Stepped time knows one strand a BMC: nothing may be sent while the work sleeps.
  const gates = createGates({ clock, random, settings: { idleLogOutMs: 24 * 3_600_000 } });
  const trust = caPem === undefined ? { kind: 'system' as const, allowsHttp: true } : { kind: 'ca' as const, caPem };
  const endpoint = { origin: url, credentials: async () => ({ username, password }), trust };
  try {
    return await work(connectBmc({ gates, endpoint, clock, random }));
  } finally {
    await gates.close();
  }
}
