import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerFirmware } from '../../src/api/index.ts';
import { resources } from '../../src/firmware/index.ts';
import { createClient, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { cpuMs, type LineProcess, residentMiB, startLineProcess } from '../processes.ts';
import type { ControllersCommand, ControllersCost, ControllersOrder } from './orders.ts';
import { type RequestCount, readRequestCounts, requestsBetween } from './request-counts.ts';
import { changeGroups, installKinds, putGroups, putServers, wantedIn, whenCounted } from './scene.ts';

/** What to run. */
export interface FleetRunOrder {
  readonly servers: number;
  /** Servers that are there at first, so that what every fleet costs is not counted as the cost of its servers. */
  readonly warmUp: number;
  /** How often the groups are changed. */
  readonly rounds: number;
  readonly jobMs: number;
}

/** What one change of all groups took. */
export interface RoundFigures {
  /** From the change to the last status and the last count. */
  readonly seconds: number;
  readonly controllers: ControllersCost;
  readonly apiserverCpuMs: number;
  readonly requests: readonly RequestCount[];
}

/** What a run came to. */
export interface FleetRunFigures {
  readonly rounds: readonly RoundFigures[];
  readonly upToDate: number;
  readonly apiserverMiB: number;
  /** The same change with the few servers that there were at first: what it takes however many there are. */
  readonly warm: RoundFigures;
  /** What the controllers had then, before the others came. */
  readonly idle: { readonly residentMiB: number; readonly settledMiB: number };
  /** From the first of the others to all groups counted: everything is made, scanned and installed once. */
  readonly firstSeconds: number;
}

/** The first changes are slow, since nothing is compiled yet; the last one counts. */
const warmRounds = 4;

interface Parts {
  readonly client: KubeClient;
  readonly api: LineProcess;
  readonly controllers: LineProcess;
}

/** Starts everything in processes of its own, measures, and ends it. */
export async function runFleet(order: FleetRunOrder): Promise<FleetRunFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
  const processes: LineProcess[] = [];
  try {
    const api = startLineProcess(join(import.meta.dirname, '../embedded-process.ts'), [folder, '0']);
    processes.push(api);
    const { url, caPem, token } = (await api.next()) as Pick<ControllersOrder, 'url' | 'caPem' | 'token'>;
    const client = await createClient({ server: url, caPem, token });
    await installKinds(client);
    const controllersOrder: ControllersOrder = { url, caPem, token, jobMs: order.jobMs };
    const script = join(import.meta.dirname, 'controllers-process.ts');
    const controllers = startLineProcess(script, [JSON.stringify(controllersOrder)]);
    processes.push(controllers);
    await controllers.next();
    const figures = await measure(order, { client, api, controllers });
    await client.close();
    return figures;
  } finally {
    for (const each of processes.reverse()) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(order: FleetRunOrder, parts: Parts): Promise<FleetRunFigures> {
  const { client, api } = parts;
  const { warm, idle } = await warmUp(parts, order.warmUp);
  const beganAt = performance.now();
  await putServers(client, { from: order.warmUp, to: order.servers });
  await whenAllDone(parts, { ...order, round: warmRounds });
  const firstSeconds = (performance.now() - beganAt) / 1000;
  const rounds: RoundFigures[] = [];
  const last = warmRounds + order.rounds;
  for (let round = warmRounds + 1; round <= last; round += 1) {
    rounds.push(await measureRound(parts, { ...order, round }));
  }
  const upToDate = await countUpToDate(client, versionOf(last));
  return { rounds, upToDate, apiserverMiB: residentMiB(api.pid), warm, idle, firstSeconds };
}

async function warmUp(parts: Parts, servers: number): Promise<Pick<FleetRunFigures, 'warm' | 'idle'>> {
  const { client, controllers } = parts;
  await tell(controllers, { do: 'start' });
  await putServers(client, { from: 0, to: servers });
  await putGroups(client);
  await whenAllDone(parts, { servers, round: 0 });
  let warm: RoundFigures | undefined;
  for (let round = 1; round <= warmRounds; round += 1) {
    warm = await measureRound(parts, { servers, round });
  }
  if (warm === undefined) throw new Error('nothing was measured');
  const { residentMiB: idleMiB } = (await tell(controllers, { do: 'mark' })) as { residentMiB: number };
  return { warm, idle: { residentMiB: idleMiB, settledMiB: warm.controllers.settledMiB } };
}

interface Round {
  readonly servers: number;
  readonly round: number;
}

async function measureRound(parts: Parts, round: Round): Promise<RoundFigures> {
  const { client, api, controllers } = parts;
  await tell(controllers, { do: 'mark' });
  const countRequests = async () =>
    readRequestCounts(await client.requestText({ method: 'GET', path: '/metrics', accept: 'text/plain' }));
  const before = await countRequests();
  const cpuBefore = cpuMs(api.pid);
  const beganAt = performance.now();
  await changeGroups(client, round.round);
  await whenAllDone(parts, round);
  const seconds = (performance.now() - beganAt) / 1000;
  const apiserverCpuMs = cpuMs(api.pid) - cpuBefore;
  const requests = requestsBetween(before, await countRequests());
  return {
    seconds,
    apiserverCpuMs,
    requests,
    controllers: (await tell(controllers, { do: 'cost' })) as ControllersCost,
  };
}

/** Every server says that it is up to date, and every group that all of its servers are. */
async function whenAllDone({ client, controllers }: Parts, { servers, round }: Round): Promise<void> {
  const ending = new AbortController();
  const limit = AbortSignal.any([ending.signal, AbortSignal.timeout(60_000 + servers * 60)]);
  await Promise.all([
    tell(controllers, { do: 'await', version: versionOf(round), servers }),
    whenCounted(client, servers, limit),
  ]);
  ending.abort();
}

function versionOf(round: number): string {
  return wantedIn(round)[0]?.version ?? '';
}

/** By a listing, as anybody would look. */
async function countUpToDate(client: KubeClient, version: string): Promise<number> {
  const { items } = await client.resource<ServerFirmware & KubeObject>(resources.firmwares).list();
  return items.filter(({ spec, status }) => {
    const isWanted = (list: ServerFirmware['spec']['firmwares']): boolean =>
      list?.length === 3 && list.every((each) => each.version === version);
    const isTrue = status?.conditions?.some((each) => each.type === 'UpToDate' && each.status === 'True') ?? false;
    return isTrue && isWanted(spec.firmwares) && isWanted(status?.firmwares);
  }).length;
}

async function tell(controllers: LineProcess, command: ControllersCommand): Promise<unknown> {
  controllers.send(command);
  return controllers.next();
}
