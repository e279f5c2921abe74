import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  buildImage,
  createSteppedClock,
  type FaultRule,
  type Machine,
  type PersonalityName,
  type RunningBmc,
  startDataCentre,
} from '../../../../simulator/index.ts';
import type { Clock } from '../../../kube/index.ts';
import type { Bmc, ComponentType } from '../../bmc.ts';
import { connectBmc } from '../../connect.ts';
import { createGates } from '../../gate/gates.ts';
import { readFirmware } from '../../inventory/index.ts';
import type { InstallOrder, Via } from '../index.ts';
import { type InstallGoal, slotsOf } from './install-until-verified.ts';

/** What is wrong with an image that a test makes. */
export type ImageDefect = 'wrong-model' | 'corrupt' | 'truncated';

/** A newer version of a component, as a file and on a server. */
export interface Release {
  readonly order: InstallOrder;
  readonly version: string;
  readonly from: string;
  readonly component: ComponentType;
}

/** One simulated server, images for it, and time that moves when everybody waits. */
export interface UpdateRig {
  readonly machine: Machine;
  setFaults(rules: readonly FaultRule[]): void;
  /** Talks to the BMC as one process would, from its first connection to its last. */
  asProcess<T>(work: (bmc: Bmc) => Promise<T>): Promise<T>;
  /** The next version for the first part of a component that can be updated. */
  release(component: ComponentType, defect?: ImageDefect): Promise<Release>;
  /** How often something began to be written, by slot. */
  flashes(): readonly string[];
}

/** Starts a rig that ends with its test. */
export async function startRig(context: TestContext, personality: PersonalityName): Promise<UpdateRig> {
  const clock = createSteppedClock();
  const dataCentre = await startDataCentre({
    seed: 7,
    servers: 1,
    personalities: [personality],
    isPlain: true,
    addressing: 'port',
    arePoweredOn: true,
    clock,
  });
  const folder = await mkdtemp(join(tmpdir(), 'updates-'));
  const served = new Map<string, Buffer>();
  const server = await serve(served);
  context.after(async () => {
    server.close();
    await dataCentre.close();
    clock.close();
    await rm(folder, { recursive: true });
  });
  const [running] = dataCentre.bmcs;
  assert.ok(running);
  const { machine } = running;
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    machine,
    setFaults: (rules) => dataCentre.setFaults(rules),
    asProcess: (work) => clock.run(machine.name, (party) => inProcess(running, party, work)),
    async release(component, defect) {
      const { bytes, sha256, version, from } = makeImage(machine, component, defect);
      const path = join(folder, `${component}.bin`);
      await writeFile(path, bytes);
      served.set(`/${component}.bin`, bytes);
      const image = { path, digest: { algorithm: 'sha256' as const, hex: sha256 } };
      const order = { image, served: { uri: `${base}/${component}.bin` }, targets: [], component, version };
      return { order, version, from, component };
    },
    flashes: () =>
      machine.log.events
        .filter(({ event }) => event === 'update.flash-begin')
        .map(({ detail }) => /slot=(\S+)/.exec(detail)?.[1] ?? ''),
  };
}

async function serve(files: ReadonlyMap<string, Buffer>): Promise<Server> {
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    response.writeHead(file === undefined ? 404 : 200).end(file);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function inProcess<T>(running: RunningBmc, clock: Clock, work: (bmc: Bmc) => Promise<T>): Promise<T> {
  const random = () => 0.5;
  // Stepped time knows one strand a BMC: nothing may be sent while the work sleeps.
  const gates = createGates({ clock, random, settings: { idleLogOutMs: 24 * 3_600_000 } });
  const { url, username, password } = running;
  const credentials = async () => ({ username, password });
  const endpoint = { origin: url, credentials, trust: { kind: 'system' as const, allowsHttp: true } };
  try {
    return await work(connectBmc({ gates, endpoint, clock, random }));
  } finally {
    await gates.close();
  }
}

function makeImage(machine: Machine, component: ComponentType, defect: ImageDefect | undefined) {
  const slot = machine.firmware.find((each) => each.component === component && each.isUpdateable);
  assert.ok(slot, `no ${component}`);
  const version = nextVersion(slot.version);
  const good = buildImage({
    vendor: machine.personality.manufacturer,
    models: defect === 'wrong-model' ? ['Another Model'] : [machine.hardware.model],
    softwareId: slot.softwareId,
    component,
    version,
    payloadBytes: 300_000,
  }).bytes();
  const bytes = defect === 'truncated' ? good.subarray(0, good.length - 1000) : good;
  if (defect === 'corrupt') bytes.writeUInt8(bytes.readUInt8(200_000) ^ 1, 200_000);
  // The digest is of what is there: the mistake was made by whoever published it.
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), version, from: slot.version };
}

function nextVersion(version: string): string {
  return version.replace(/(\d+\.)(\d+)/, (_, major: string, minor: string) =>
    [major, String(Number(minor) + 1).padStart(minor.length, '0')].join(''),
  );
}

/** What to install by which way, with targets for BMCs that insist on them. */
export async function goalFor(bmc: Bmc, release: Release, via?: Via): Promise<InstallGoal> {
  const { order, component, version, from } = release;
  const isTold = (await bmc.root()).vendor === 'supermicro' && component === 'nic';
  const { slots } = await readFirmware(bmc);
  const targets = isTold ? slots.filter(await slotsOf(bmc, release)).map(({ uri }) => uri) : [];
  return { order: { ...order, targets, ...(via === undefined ? {} : { via }) }, component, version, from };
}
