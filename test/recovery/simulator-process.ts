/** Runs the simulated servers of a run, which outlive everything else, and serves the images for them. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { availableFirmware, buildImage, type RunningBmc, startDataCentre } from '../../simulator/index.ts';
import type { FleetOrder, FleetRequest, FleetServer, MachineHistory, Release } from './fleet.ts';

const order = JSON.parse(process.argv[2] ?? '{}') as FleetOrder;
const components = ['bmc', 'bios', 'nic'];
const payloadBytes = 100_000;

const dataCentre = await startDataCentre({
  seed: order.seed,
  servers: order.servers,
  speed: order.speed,
  isPlain: true,
  addressing: 'port',
  arePoweredOn: true,
  doesLogReads: order.isWithoutReads !== true,
  doesLogCallers: true,
  ...(order.personalities === undefined ? {} : { personalities: order.personalities }),
  ...(order.timings === undefined ? {} : { timings: order.timings, variation: 0 }),
});
const images = new Map<string, Buffer>();
const files = createServer((request, response) => {
  const file = images.get(request.url ?? '');
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-length': file.length }).end(file);
}).listen(0, '127.0.0.1');
await once(files, 'listening');
const origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;

say({ say: 'fleet', servers: dataCentre.bmcs.map(describe) });
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as FleetRequest;
  if (request.ask === 'prepare') await prepare(request);
  else writeFileSync(request.path, JSON.stringify(dataCentre.bmcs.map(historyOf)));
  say({ say: 'done' });
}
files.closeAllConnections();
files.close();
await dataCentre.close();

function say(line: { readonly say: string } & Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function prepare({ off, faults }: Extract<FleetRequest, { ask: 'prepare' }>): Promise<void> {
  dataCentre.setFaults(faults);
  const machines = off.map((name) => dataCentre.bmc(name).machine);
  for (const { power } of machines) power.reset('ForceOff');
  while (machines.some(({ power }) => power.state !== 'Off')) await delay(10);
}

function describe(bmc: RunningBmc): FleetServer {
  const { name, url, username, password, systemPath, machine } = bmc;
  const { uuid, serial, model } = machine.hardware;
  return {
    name,
    uuid,
    serial,
    url,
    username,
    password,
    systemPath,
    model,
    manufacturer: machine.personality.manufacturer,
    personality: machine.personality.name,
    releases: components.flatMap((component) => releaseOf(bmc, component) ?? []),
  };
}

/** The newest image for the first slot of a kind that can be updated. */
function releaseOf({ machine }: RunningBmc, component: string): Release | undefined {
  const slot = machine.firmware.find((each) => each.component === component && each.isUpdateable);
  const found = availableFirmware(machine.personality, machine.hardware.model).find(
    ({ softwareId, isNewest }) => softwareId === slot?.softwareId && isNewest,
  );
  if (slot === undefined || found === undefined || found.version === slot.version) return undefined;
  const { vendor, models, softwareId, version } = found;
  const image = buildImage({ vendor, models, softwareId, component: found.component, version, payloadBytes });
  const path = `/${softwareId}-${version}-${image.sha256.slice(0, 8)}`.replaceAll(/[^/\w-]/g, '_');
  if (!images.has(path)) images.set(path, image.bytes());
  const slots = machine.firmware.filter((each) => each.softwareId === softwareId && each.component === slot.component);
  return {
    component,
    version,
    vendor,
    softwareId,
    models: component === 'nic' ? [slot.name.split(' - ')[0] ?? slot.name] : [machine.hardware.model],
    url: `${origin}${path}`,
    sha256: image.sha256,
    slots: slots.filter(({ isUpdateable }) => isUpdateable).map((each) => each.slot),
  };
}

function historyOf({ name, machine }: RunningBmc): MachineHistory {
  const { events, count } = machine.log;
  return {
    name,
    events,
    dropped: count - events.length,
    firmware: machine.firmware.map(({ slot, version }) => ({ slot, version })),
    power: machine.power.state,
  };
}
