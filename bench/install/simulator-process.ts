import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { availableFirmware, buildImage, type RunningBmc, startDataCentre } from '../../simulator/index.ts';
import type { BenchServer, InstallFleet, InstallFleetOrder, SimulatorReport } from './fleet.ts';

/** Runs a data centre for the bench: prints its servers, then, for each line it gets, what happened since the last one. */
const order = JSON.parse(process.argv[2] ?? '{}') as InstallFleetOrder;
const files = new Map<string, Buffer>();
const fileServer = createServer((request, response) => {
  const file = files.get(request.url ?? '');
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-length': file.length, etag: `"${request.url}"` }).end(file);
}).listen(0, '127.0.0.1');
await once(fileServer, 'listening');
const origin = `http://127.0.0.1:${(fileServer.address() as AddressInfo).port}`;

const dataCentre = await startDataCentre({
  seed: order.seed,
  servers: order.servers,
  isPlain: order.isPlain,
  arePoweredOn: true,
  timings: order.timings,
  variation: 0,
});
dataCentre.setFaults(
  order.faults.map(({ server, rule }) => ({ ...rule, machines: dataCentre.bmcs[server]?.name ?? '' })),
);
// BMCs have their certificates long before anybody installs anything.
for (const bmc of dataCentre.bmcs) await bmc.fingerprint();
const releases = new Map<string, BenchServer['firmware']>();
const fleet: InstallFleet = { caPem: dataCentre.caPem, servers: dataCentre.bmcs.map(describe) };
const wanted = fleet.servers.map(({ firmware }) => firmware.version);
process.stdout.write(`${JSON.stringify(fleet)}\n`);
process.once('SIGTERM', async () => {
  fileServer.closeAllConnections();
  fileServer.close();
  await dataCentre.close();
  process.exit(0);
});

let cpuBefore = process.cpuUsage();
for await (const _ of createInterface({ input: process.stdin })) {
  const { user, system } = process.cpuUsage(cpuBefore);
  cpuBefore = process.cpuUsage();
  const count = (event: string) =>
    dataCentre.bmcs.map(({ machine }) => machine.log.events.filter((one) => one.event === event).length);
  const report: SimulatorReport = {
    cpuMs: (user + system) / 1000,
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
    flashes: count('update.flash-begin'),
    struck: count('fault'),
    updated: dataCentre.bmcs.filter((bmc, at) => bmcSlot(bmc)?.version === wanted[at]).length,
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

function describe(bmc: RunningBmc): BenchServer {
  const { machine, name, url, username, password } = bmc;
  const { uuid, model, serial } = machine.hardware;
  const vendor = machine.personality.manufacturer;
  return {
    id: uuid.toLowerCase(),
    name,
    vendor,
    model,
    serial,
    bmcAddress: url,
    username,
    password,
    firmware: releaseFor(bmc),
  };
}

function bmcSlot({ machine }: RunningBmc) {
  return machine.firmware.find(({ component, isUpdateable }) => component === 'bmc' && isUpdateable);
}

/** The newest firmware of the BMC itself, as every vendor has it; one image for all servers that it is for. */
function releaseFor(bmc: RunningBmc): BenchServer['firmware'] {
  const { personality, hardware } = bmc.machine;
  const softwareId = bmcSlot(bmc)?.softwareId;
  const found = availableFirmware(personality, hardware.model).find(
    (each) => each.softwareId === softwareId && each.isNewest,
  );
  if (found === undefined) throw new Error(`there is no newer BMC firmware for ${hardware.model}`);
  const { vendor, models, component, version } = found;
  const key = `/${encodeURIComponent(`${vendor}-${found.softwareId}-${version}`)}.bin`;
  const known = releases.get(key);
  if (known !== undefined) return known;
  const image = buildImage({
    vendor,
    models,
    softwareId: found.softwareId,
    component,
    version,
    payloadBytes: order.imageBytes,
  });
  files.set(key, image.bytes());
  const release = {
    vendor,
    component,
    version,
    filename: key.slice(1),
    URL: `${origin}${key}`,
    checksum: `sha256:${image.sha256}`,
    models,
    software_id: found.softwareId,
  };
  releases.set(key, release);
  return release;
}
