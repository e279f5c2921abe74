import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentTarget,
  availableFirmware,
  buildImage,
  createScaledClock,
  type FaultRule,
  type PersonalityName,
  type RunningBmc,
  startDataCentre,
} from '../../simulator/index.ts';
import { createGates } from '../../src/bmc/index.ts';
import { createImageLinks } from '../../src/cli/hosts/image-links.ts';
import { createEgress } from '../../src/egress/index.ts';
import {
  createEngine,
  type Engine,
  externalWork,
  type JsonObject,
  openSqliteDatabase,
  startSweeping,
} from '../../src/engine/index.ts';
import { hashSource } from '../../src/firmware-store/index.ts';
import { createArtifactCache, createFlasher, flasherKinds } from '../../src/flasher/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import {
  createEngineDesk,
  createRedfishProvisioners,
  type HostRecords,
  openHostRecords,
  type Provisioners,
  type ReachedHost,
  type RedfishOptions,
} from '../../src/provisioners/index.ts';

const minute = 60_000;

/** For tests: a simulated server, an engine with a worker for it, and the provisioner that needs no Ironic. */
export interface RedfishRig {
  readonly bmc: RunningBmc;
  readonly engine: Engine;
  readonly records: HostRecords;
  readonly provisioners: Provisioners;
  readonly host: ReachedHost;
  /** An image for its BIOS, the version that it brings, and the image as a `firmwareInstall` takes it. */
  readonly update: {
    readonly component: string;
    readonly url: string;
    readonly version: string;
    readonly firmware: JsonObject;
    /** The same image under an address that no catalogue has. */
    readonly link: string;
  };
  /** Has time run hardly faster than the real one, or as before: what shall not be over while it is looked at. */
  goSlowly(isSlow: boolean): void;
  /** Whom the agent that it boots from the network reports to from now on. */
  setAgent(target: AgentTarget): void;
  /** What goes wrong with its BMC from now on. */
  setFaults(rules: readonly FaultRule[]): void;
  /** Another one on the same records, as after a restart of the process. */
  again(options?: Pick<RedfishOptions, 'lookMs'>): Provisioners;
  close(): Promise<void>;
}

/** For tests: how hosts are looked after there. */
export type RedfishRigOptions = Pick<RedfishOptions, 'limit' | 'pollMs' | 'updateWaitMs'>;

/** Real time that can be made to pass slowly. */
function createPace() {
  let [seen, passed, factor] = [performance.now(), 0, 1];
  const now = (): number => {
    const real = performance.now();
    passed += (real - seen) * factor;
    seen = real;
    return passed;
  };
  const goSlowly = (isSlow: boolean): void => {
    now();
    factor = isSlow ? 0.02 : 1;
  };
  return { now, goSlowly };
}

/** For tests: starts it, in time that runs faster than the real one. */
export async function startRedfishRig(
  personality: PersonalityName,
  { limit, pollMs = 5000, updateWaitMs }: RedfishRigOptions = {},
): Promise<RedfishRig> {
  const pace = createPace();
  const clock = createScaledClock({ speed: 200, mostAtOnceMs: 100, realNow: pace.now });
  const centre = await startDataCentre({
    ...{ seed: 11, servers: 1, personalities: [personality], isPlain: true, clock },
    addressing: 'port',
  });
  const [bmc] = centre.bmcs;
  assert.ok(bmc);
  const folder = await mkdtemp(join(tmpdir(), 'redfish-rig-'));
  const artifacts = await createArtifactCache({ folder, maxBytes: 100_000_000 });
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const kinds = [...flasherKinds({ leaseMs: 10 * minute, requestDeadlineMs: minute }), externalWork];
  const engine = await createEngine({ database, kinds, clock });
  const sweeping = startSweeping(engine, { clock, everyMs: 30_000 });
  const { uuid, model } = bmc.machine.hardware;
  const id = uuid.toLowerCase();
  const record = { id, facility: 'fc1', bmcId: 'bmc-0', manufacturer: 'x', model, hold: undefined };
  assert.equal(await engine.machines.put(record, [{ kind: 'bmc-address', value: bmc.url }]), 'ok');
  // This machine may be slow, and its time runs fast.
  const gates = createGates({ clock, settings: { deadlineMs: 20 * minute, connectMs: 20 * minute } });
  const credentials = async () => ({ username: bmc.username, password: bmc.password });
  const endpoint = { origin: bmc.url, credentials, trust: { kind: 'system' as const, allowsHttp: true } };
  const flasher = createFlasher({
    ...{ port: engine.worker, artifacts, gates, clock, facilities: ['fc1'] },
    servers: { find: async () => ({ endpoint }) },
    catalogue: { readSet: async () => undefined },
    inventorySink: { write: async () => {} },
    settings: { verify: { consecutiveReads: 2, deadlineMs: 15 * minute, poll: { first: 5000, most: 30_000 } } },
  });
  // What internal hosts answer is told where they are named.
  const egress = createEgress({ hosts: ['127.0.0.1'] });
  const release = await serveBios(bmc);
  const records = await openHostRecords(database);
  const opened: Provisioners[] = [];
  const again = ({ lookMs = 20 * minute }: Pick<RedfishOptions, 'lookMs'> = {}): Provisioners => {
    const made = createRedfishProvisioners({
      trustOf: () => ({ kind: 'system', allowsHttp: true }),
      ...{ gates, records, clock, pollMs, limit, updateWaitMs, lookMs },
      desk: createEngineDesk(engine),
      catalogue: { find: async ({ url }) => (url === release.url ? release.firmware : undefined) },
      links: createImageLinks({ hash: (url) => hashSource(url, { maxBytes: 1_000_000, egress }), clock: systemClock }),
    });
    opened.push(made);
    return made;
  };
  return {
    bmc,
    engine,
    records,
    provisioners: again(),
    host: hostOf(bmc),
    update: { component: 'bios', ...release },
    again,
    goSlowly: pace.goSlowly,
    setAgent: (target) => centre.setAgent(target),
    setFaults: (rules) => centre.setFaults(rules),
    async close() {
      pace.goSlowly(false);
      for (const each of opened) await each.close();
      await flasher.stop({ graceMs: minute });
      await gates.close();
      await sweeping.stop();
      await engine.close();
      await database.close();
      await artifacts.close();
      await centre.close();
      await release.close();
      clock.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function hostOf({ url, systemPath, username, password, machine }: RunningBmc): ReachedHost {
  const [port] = machine.hardware.nics.flatMap(({ ports }) => ports);
  return {
    namespace: 'metal3',
    name: 'native',
    bmc: {
      address: `redfish-virtualmedia+${url}${systemPath}`,
      isCertificateUnchecked: false,
      credentials: { username, password },
    },
    bootMacAddress: port?.mac.toLowerCase(),
    isPowerOffDisabled: false,
  };
}

/** Serves the newest BIOS of a machine, and says how an install is told of it. */
async function serveBios({ machine }: RunningBmc) {
  const slot = machine.firmware.find(({ component, isUpdateable }) => component === 'bios' && isUpdateable);
  const found = availableFirmware(machine.personality, machine.hardware.model).find(
    ({ softwareId, isNewest }) => softwareId === slot?.softwareId && isNewest,
  );
  assert.ok(found);
  const { vendor, models, softwareId, component, version } = found;
  const image = buildImage({ vendor, models, softwareId, component, version, payloadBytes: 20_000 });
  const server = createServer(({ url }, answer) => {
    if (url?.includes('gone') === true) return void answer.writeHead(404).end();
    answer.setHeader('content-length', image.bytes().length);
    answer.end(image.bytes());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bios.bin`;
  const firmware: JsonObject = {
    ...{ id: 'fw-bios', vendor, version, component: 'bios', URL: url, software_id: softwareId },
    checksum: `sha256:${image.sha256}`,
    models: [machine.hardware.model],
  };
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url, version, firmware, link: new URL('/linked.bin', url).href, close };
}
