import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../../src/kube/index.ts';
import { askForSetting, reboot } from '../../test/live-updates/ask-for-change.ts';
import { type FollowedHosts, followHosts } from '../../test/live-updates/follow-hosts.ts';
import { hasEnded, mostAtOnce, readService } from '../../test/live-updates/judge-history.ts';
import {
  biosChoiceOf,
  type Controllers,
  type LiveFleet,
  putLiveHost,
  startLiveFleet,
} from '../../test/live-updates/live-fleet.ts';
import type { ControllersReport } from '../../test/live-updates/order.ts';
import { median } from '../figures.ts';
import { readRequestCounts, requestsBetween } from '../fleet/request-counts.ts';
import { idealMs } from '../install/scenario.ts';
import type { LiveMeasure } from './bars.ts';

/** What to run. */
export interface LiveRunOrder {
  readonly hosts: number;
  readonly parallel: number;
  /** What a machine takes from its restart to the end of its self-test. */
  readonly postSeconds: number;
}

/** What a run came to. */
export interface LiveRunFigures extends LiveMeasure {
  /** From the first reboot that is asked for to the last host that is OK again. */
  readonly seconds: number;
  readonly idealSeconds: number;
  /** What a machine took itself, by its own log. */
  readonly machineSeconds: number;
  readonly setUpSeconds: number;
  readonly cpuMs: number;
  readonly peakMiB: number;
}

/** Nothing takes so long. */
const limitMs = 3_600_000;

/** Starts an API server, machines and the controllers, each in processes of their own, measures, and ends them. */
export async function runLive(order: LiveRunOrder): Promise<LiveRunFigures> {
  const { hosts, parallel, postSeconds } = order;
  const timings = { postMs: postSeconds * 1000, powerOnMs: 1000, forceOffMs: 1000, osBootMs: 1000 };
  const fleet = await startLiveFleet({ seed: 5, hosts, speed: 1, timings, limit: parallel, isAsShipped: true });
  try {
    const followed = await followHosts(fleet.api, { limitMs });
    try {
      return await measure(order, fleet, followed);
    } finally {
      await followed.stop();
    }
  } finally {
    await fleet.close();
  }
}

async function measure(order: LiveRunOrder, fleet: LiveFleet, followed: FollowedHosts): Promise<LiveRunFigures> {
  const { api, servers } = fleet;
  const madeAt = performance.now();
  const controllers = fleet.startControllers();
  await controllers.ready;
  await inTurns(servers, (server) => putLiveHost(api, server));
  const names = servers.map(({ name }) => name);
  await Promise.all(names.map((name) => followed.when(name, 'be in use', isInUse)));
  const choices = servers.map((server) => ({ name: server.name, choice: biosChoiceOf(server) }));
  await inTurns(choices, ({ name, choice }) => askForSetting(api, followed, name, choice));
  const from = (await fleet.histories()).map(({ events }) => events.length);
  const before = await countAll(api.client, controllers);
  const beganAt = performance.now();
  await inTurns(names, (name) => reboot(api, name));
  await Promise.all(names.map((name) => followed.when(name, 'be serviced', isServiced)));
  const seconds = (performance.now() - beganAt) / 1000;
  const after = await countAll(api.client, controllers);
  const services = (await endedHistories(order, fleet, from)).map((history, at) => readService(history, from[at] ?? 0));
  const requests = requestsBetween(before.requests, after.requests).reduce((sum, { count }) => sum + count, 0);
  const machineSeconds = median(services.map(({ downMs }) => downMs)) / 1000;
  const ideal =
    idealMs(
      services.map(({ downMs }) => downMs),
      order.parallel,
    ) / 1000;
  return {
    ...{ hosts: order.hosts, parallel: order.parallel, seconds, machineSeconds },
    idealSeconds: ideal,
    ratio: seconds / ideal,
    ended: services.filter(({ applied }) => applied === 1).length,
    // The bench itself asks for each reboot.
    apiRequests: (requests - names.length) / names.length,
    bmcRequests: (after.report.bmcRequests - before.report.bmcRequests) / names.length,
    mostServicing: followed.mostServicing,
    mostWorkedOn: mostAtOnce(services.flatMap(({ spans }) => spans)),
    needlessRestarts: services.reduce((sum, { restarts }) => sum + Math.max(0, restarts - 1), 0),
    setUpSeconds: (beganAt - madeAt) / 1000,
    cpuMs: (after.report.cpuMs - before.report.cpuMs) / names.length,
    peakMiB: after.report.maxRssMiB,
  };
}

/**
 * The logs once they go to the ends of all self-tests: a machine that is in one when its host says OK was worked on until
 * later than its log can tell yet. One that never gets through is judged as it is, and its time cannot be measured.
 */
async function endedHistories(order: LiveRunOrder, fleet: LiveFleet, from: readonly number[]) {
  const untilMs = performance.now() + 2 * order.postSeconds * 1000 + 30_000;
  for (;;) {
    const histories = await fleet.histories();
    const areEnded = histories.every((history, at) => hasEnded(history, from[at] ?? 0));
    if (areEnded || performance.now() > untilMs) return histories;
    await delay(1000);
  }
}

type Host = NonNullable<ReturnType<FollowedHosts['get']>>;

function isInUse({ status }: Host): boolean {
  return status?.provisioning.state === 'provisioned' && status.poweredOn === true;
}

function isServiced({ status }: Host): boolean {
  return (status?.operationHistory?.service?.end ?? null) !== null && status?.operationalStatus === 'OK';
}

async function countAll(client: KubeClient, controllers: Controllers) {
  const metrics = await client.requestText({ method: 'GET', path: '/metrics', accept: 'text/plain' });
  return { requests: readRequestCounts(metrics), report: (await controllers.ask()) as unknown as ControllersReport };
}

/** As many at a time as the client has connections for. */
async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: 32 }, work));
}
