import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type BareMetalHost, ironcoreApiVersion, metal3ApiVersion, type ServerFirmware } from '../../src/api/index.ts';
import { startFirmwareHere } from '../../src/cli/firmware-plane/firmware-here.ts';
import { openEngineExternalWork } from '../../src/cli/hosts/engine-external-work.ts';
import { Closing } from '../../src/cli/install-service/closing.ts';
import { startEmbeddedFlashers } from '../../src/cli/install-service/embedded-flashers.ts';
import { enrolRack } from '../../src/cli/install-service/enrol-rack.ts';
import { jobLimitsOf, limitsOf } from '../../src/cli/install-service/limits.ts';
import { openBus } from '../../src/cli/install-service/open-bus.ts';
import { openStore } from '../../src/cli/install-service/open-store.ts';
import { imageStoreSettings } from '../../src/cli/install-service/stand-alone/setting-names.ts';
import { openWorkPlane, runLoop } from '../../src/cli/install-service/work-plane.ts';
import { startEmbeddedServer } from '../../src/cli/plane/embedded-server.ts';
import { installKinds } from '../../src/cli/plane/install-kinds.ts';
import { startSimulatedRack } from '../../src/cli/plane/simulated-rack.ts';
import { readSettings } from '../../src/cli/settings.ts';
import { fleetNamespace } from '../../src/cli/simulate/fleet-namespace.ts';
import { resetServer } from '../../src/cli/simulate/running-simulator.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { createHostAdmission, startHostControllers } from '../../src/hosts/index.ts';
import {
  createClient,
  createResourceMapper,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
  systemClock,
} from '../../src/kube/index.ts';
import { createIronicProvisioners } from '../../src/provisioners/index.ts';
import { createFakeBmc, type FakeIronic, startFakeIronic } from '../../src/provisioners/ironic/testing/index.ts';
import { createKubeAuthorizer } from '../../src/rest/index.ts';
import { createMetrics, silentLogger } from '../../src/telemetry/index.ts';
import { temporaryFolder } from './cli-fixture.ts';
import { until } from './hosts-lock-rig.ts';

const settingNames = [
  ...([
    'dataDir',
    'host',
    'port',
    'simulate',
    'speed',
    'facilities',
    'concurrency',
    'bmcCa',
    'bmcInsecure',
    'bmcHttp',
  ] as const),
  ...(['egressHosts', 'egressSchemes'] as const),
  ...(['bmcSpeed', 'databaseUrl', 'databaseUrlFile', 'natsUrl', 'natsUrlFile', 'natsCreds', 'natsCa'] as const),
  ...(['natsPrefix', 'maxActive', 'maxActivePerFacility', 'maxActivePerModel', 'maxPending', 'maxUploads'] as const),
  ...([
    'maxUpdates',
    'maxScans',
    'maxDiscoveries',
    'maxQueued',
    'maxAttempts',
    'attemptsFirst',
    'powerInterval',
    'powerReads',
    'catalog',
    'catalogFile',
  ] as const),
  ...(['imageFolder', 'allowUnverifiedFirmware', 'jobImplementation'] as const),
  ...imageStoreSettings,
] as const;

interface Plane {
  readonly ironic: FakeIronic;
  readonly name: string;
  /** Begins to look after hosts. */
  readonly startHosts: () => void;
  readonly hosts: ResourceClient<BareMetalHost & KubeObject>;
  readonly firmwares: ResourceClient<ServerFirmware & KubeObject>;
}

/** All that `rackwright up` starts for one simulated server, with a fake Ironic that owns it and is asked often. */
async function startPlane(t: TestContext): Promise<Plane> {
  const folder = temporaryFolder();
  const open = new Closing();
  t.after(async () => {
    await open.close();
    folder.remove();
  });
  const terminal = quietTerminal(folder.path);
  const dataDir = join(folder.path, 'data');
  const flags = { dataDir, port: '0', simulate: '1', speed: '2000' };
  const settings = readSettings(settingNames, flags, terminal);
  const server = await startEmbeddedServer(settings, terminal);
  open.add(() => server.close());
  const client = await createClient({ server: server.url, caPem: server.caPem, token: server.adminToken });
  open.add(() => client.close());
  await installKinds(client, { isReplacingOthers: true, conversion: 'in-process', signal: terminal.interrupted });
  const rack = await startSimulatedRack(settings, {
    ...{ client, terminal, admission: createHostAdmission(), exampleImage: undefined },
  });
  open.add(() => rack.close());
  const [bmc = assert.fail()] = rack.dataCentre.bmcs;
  // A server that runs need not be switched on first, whose self-test is waited for in real time.
  await resetServer({ dataDir, server: bmc.name, type: 'On' }, terminal);
  const engine = await startWork(settings, { client, rack, open });
  const { username, password, systemPath } = bmc;
  const redfishAddress = new URL(bmc.url).origin;
  const ironic = await startFakeIronic({
    bmcs: [{ ...createFakeBmc(1), redfishAddress, systemPath, username, password }],
  });
  open.add(() => ironic.stop());
  const provisioners = createIronicProvisioners({
    url: ironic.url,
    delays: { shortMs: 50, longMs: 50, awayMs: 50 },
  });
  open.add(() => provisioners.close());
  const startHosts = (): void => {
    const controllers = startHostControllers({
      ...{ client, provisioners, clock: systemClock, random: Math.random },
      openExternalWork: () => openEngineExternalWork({ engine, clock: systemClock }),
    });
    open.add(() => controllers.stop());
  };
  return { ironic, name: bmc.name, startHosts, ...(await resourcesOf(client)) };
}

type PlaneSettings = ReturnType<typeof readSettings<(typeof settingNames)[number]>>;

/** Engine, inventory, flashers, update service and firmware controllers, as `rackwright up` has them. */
async function startWork(
  settings: PlaneSettings,
  here: {
    readonly client: KubeClient;
    readonly rack: Awaited<ReturnType<typeof startSimulatedRack>>;
    readonly open: Closing;
  },
) {
  const { client, rack, open } = here;
  const logger = silentLogger;
  const metrics = createMetrics();
  const store = await openStore(settings, { fault: () => undefined, room: () => undefined });
  open.add(() => store.close());
  const bus = await openBus(settings, { logger, metrics });
  open.add(() => bus.close());
  const parts = {
    ...{ store, bus, logger, metrics, engineSettings: {} },
    credentialKeys: join(settings.dataDir, 'credentials.key'),
    kinds: { requestDeadlineMs: 2000 },
    limits: limitsOf(settings),
    jobLimits: jobLimitsOf(settings),
    areUnverifiedAllowed: settings.allowUnverifiedFirmware,
  };
  mkdirSync(settings.dataDir, { recursive: true });
  const plane = await openWorkPlane(parts);
  open.add(() => plane.close());
  await enrolRack(plane.service, rack);
  const loop = await runLoop(plane, parts);
  open.add(() => loop.stop());
  const flasherParts = { plane, bus, rack, logger, metrics, isShared: false };
  for (const flasher of await startEmbeddedFlashers(settings, flasherParts)) open.add(() => flasher.stop());
  const authorizer = createKubeAuthorizer({ client, clock: systemClock });
  const isCluster = false;
  await startFirmwareHere(settings, { plane, parts, client, authorizer, rack, admission: undefined, isCluster, open });
  return plane.engine;
}

async function resourcesOf(client: KubeClient): Promise<Pick<Plane, 'hosts' | 'firmwares'>> {
  const mapper = createResourceMapper(client);
  return {
    hosts: client.resource(await mapper.byKind(metal3ApiVersion, 'BareMetalHost')),
    firmwares: client.resource(await mapper.byKind(ironcoreApiVersion, 'ServerFirmware')),
  };
}

function quietTerminal(cwd: string): Terminal {
  return {
    env: {},
    cwd,
    interrupted: new AbortController().signal,
    out: () => {},
    err: () => {},
    readInput: async () => '',
    runInteractive: async () => 0,
  };
}

const conditionOf = ({ status }: ServerFirmware, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

test('firmware that is wanted on a provisioned host waits, says why, and is installed when the host is deprovisioned', {
  timeout: 300_000,
}, async (t) => {
  const { ironic, name, startHosts, hosts, firmwares } = await startPlane(t);
  const host = { namespace: fleetNamespace, name };
  const untilHost = (state: string) =>
    until(`the host is ${state}`, async () => (await hosts.get(host)).status?.provisioning.state === state);
  const find = async (): Promise<ServerFirmware | undefined> => (await firmwares.list()).items[0];
  const untilFirmware = async (what: string, isSo: (firmware: ServerFirmware) => boolean): Promise<ServerFirmware> => {
    let found: ServerFirmware | undefined;
    await until(what, async () => {
      found = await find();
      return found !== undefined && isSo(found);
    });
    return found ?? assert.fail();
  };
  // A scan would keep the host waiting for a while.
  const scanned = await untilFirmware('the server was scanned', ({ status }) => status?.lastScanTime !== undefined);
  startHosts();
  await untilHost('available');
  const image = { url: 'http://images.example/a.qcow2', checksum: 'abc', checksumType: 'sha256' };
  await hosts.patch(host, { type: 'merge', body: { spec: { online: true, image } } });
  await untilHost('provisioned');
  const installed = scanned.status?.firmwares?.find((each) => each.name === 'psu') ?? assert.fail('it has no psu');
  const wanted = { name: installed.name, manufacturer: installed.manufacturer, version: '00.17.28' };
  assert.notEqual(installed.version, wanted.version);
  const firmwareName = { name: scanned.metadata.name ?? '' };
  await firmwares.patch(firmwareName, { type: 'merge', body: { spec: { firmwares: [wanted] } } });
  const waiting = await untilFirmware('it waits for the host', (each) => {
    return conditionOf(each, 'Progressing')?.reason === 'HostInUse';
  });
  assert.match(
    conditionOf(waiting, 'Progressing')?.message ?? '',
    new RegExp(
      `waits: BareMetalHost ${fleetNamespace}/${name} is in use \\(provisioned\\); .* until it is deprovisioned`,
    ),
  );
  assert.equal(conditionOf(waiting, 'UpToDate')?.reason, 'HostInUse');
  const changes = () => ironic.requests.map(({ line }) => line).filter((line) => / .*\/maintenance$/.test(line));
  assert.deepEqual(changes(), []);
  await hosts.patch(host, { type: 'merge', body: { spec: { image: null } } });
  const done = await untilFirmware('it is installed', (each) => conditionOf(each, 'UpToDate')?.status === 'True');
  assert.equal(done.status?.firmwares?.find((each) => each.name === 'psu')?.version, wanted.version);
  await untilHost('available');
  await until('the maintenance has ended', () => !ironic.node(`${fleetNamespace}~${name}`).maintenance);
  assert.deepEqual(
    changes().map((line) => line.split(' ')[0]),
    ['PUT', 'DELETE'],
  );
});
