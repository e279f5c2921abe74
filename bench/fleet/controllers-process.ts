import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type FirmwareControllers, type OwnedFirmware, startFirmwareControllers } from '../../src/firmware/index.ts';
import { createClient, systemClock } from '../../src/kube/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { createInstantService } from './instant-service.ts';
import type { ControllersCommand, ControllersCost, ControllersOrder } from './orders.ts';

/** The firmware controllers for the bench, with an update service that takes no time: for each line one line. */
const order = JSON.parse(process.argv[2] ?? '{}') as ControllersOrder;
const logger = createLogger({
  level: 'error',
  name: `bench ${process.pid}`,
  write: (line) => void process.stderr.write(line),
});
const { url, caPem, token, jobMs } = order;
const client = await createClient({ server: url, caPem, token });
const service = createInstantService({ jobMs });
let controllers: FirmwareControllers | undefined;
let peakBytes = 0;
const sampling = setInterval(sample, 250);
let began = marked();

process.once('SIGTERM', () => void stop());
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await obey(JSON.parse(line) as ControllersCommand);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function obey(command: ControllersCommand): Promise<object> {
  switch (command.do) {
    case 'start':
      return start();
    case 'await':
      await Promise.race([whenUpToDate(command), service.failed]);
      return {};
    case 'mark':
      began = marked();
      return { residentMiB: process.memoryUsage.rss() / 2 ** 20 };
    case 'cost':
      return cost();
  }
}

async function start(): Promise<object> {
  const updateService = service;
  controllers = startFirmwareControllers({ client, updateService, clock: systemClock, random: Math.random, logger });
  service.connect(controllers.reports);
  await controllers.whenSynced();
  return {};
}

/** Watches the cache that is there anyway, so that looking costs next to nothing. */
async function whenUpToDate({ version, servers }: Extract<ControllersCommand, { do: 'await' }>): Promise<void> {
  const firmwares = controllers?.informers.firmwares;
  const done = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (key: string, firmware: OwnedFirmware | undefined): void => {
    if (firmware === undefined || !isUpToDate(firmware, version)) done.delete(key);
    else done.add(key);
    if (done.size === servers) resolve();
  };
  const leave = firmwares?.onChange((key, { current }) => look(key, current));
  for (const each of firmwares?.list() ?? []) look(each.metadata.name ?? '', each);
  await promise;
  leave?.();
}

function isUpToDate({ metadata, spec, status }: OwnedFirmware, version: string): boolean {
  if (spec.firmwares?.[0]?.version !== version || status?.observedGeneration !== metadata.generation) return false;
  return status?.conditions?.some((each) => each.type === 'UpToDate' && each.status === 'True') ?? false;
}

function sample(): void {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}

function marked() {
  peakBytes = process.memoryUsage.rss();
  return { cpu: process.cpuUsage(), jobs: service.jobs };
}

/** Collects everything that is not needed, so that what stays can be compared early and late in the life of a process. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Code that ran once, such as that of the start, outlives six of them.
  for (let at = 0; at < 8; at++) collect();
}

function cost(): ControllersCost {
  sample();
  const { user, system } = process.cpuUsage(began.cpu);
  collectAll();
  return {
    cpuMs: (user + system) / 1000,
    peakMiB: peakBytes / 2 ** 20,
    settledMiB: process.memoryUsage().heapUsed / 2 ** 20,
    jobs: service.jobs - began.jobs,
  };
}

async function stop(): Promise<void> {
  clearInterval(sampling);
  await controllers?.stop();
  await client.close();
  process.exit(0);
}
