import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { nodeOptions } from '../../bin/node-options.mjs';
import { createClient, installDefinitions, type KubeClient } from '../../src/kube/index.ts';
import { kubeconfigYaml } from '../../test/real/kube/kubeconfig.ts';
import { type RequestCount, requestsBetween } from '../fleet/request-counts.ts';
import { untilAtRest } from '../fleet/requests-at-rest.ts';
import { followHosts, type Progress } from '../hosts/progress.ts';
import { definitionsWith, fleet, operatorResources, putNamespace } from '../hosts/scene.ts';
import { type MeasuredServer, startEmbedded } from '../measured-server.ts';
import { cpuMs, peakMiB } from '../processes.ts';
import { type BenchMachine, introductionOf, machinesOf, type Outcome, putDiscovery, readOutcome } from './scene.ts';

/** What to run. */
export interface DiscoveryRunOrder {
  readonly hosts: number;
  /** In which all are switched on. */
  readonly powerOnSeconds: number;
  /** Machines that become hosts before, which do not count. */
  readonly warmUp: number;
}

/** What a run came to. */
export interface DiscoveryRunFigures extends Outcome {
  /** From the first introduction to the last host that is available. */
  readonly seconds: number;
  readonly cpuMs: number;
  readonly apiserverCpuMs: number;
  readonly peakMiB: number;
  readonly requests: readonly RequestCount[];
}

const bootToken = 'the-boot-token-of-the-bench';
const limitMsOf = (hosts: number): number => 120_000 + hosts * 2000;
/** Longer than from one poll to the next. */
const rest = { ms: 6000, pick: ofControllers };

interface Plane {
  readonly client: KubeClient;
  readonly server: MeasuredServer;
  readonly controllers: { readonly pid: number; readonly agentsUrl: string };
  readonly progress: Progress;
}

/** Starts an API server, and endpoint and controllers as another process, measures, and ends them. */
export async function runDiscovery(order: DiscoveryRunOrder): Promise<DiscoveryRunFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-discovery-'));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const server = await startEmbedded(join(folder, 'plane'));
    closing.push(() => server.stop());
    const { port, caPem, token } = server.endpoint;
    const kubeconfig = join(folder, 'kubeconfig');
    const url = `https://127.0.0.1:${port}`;
    writeFileSync(kubeconfig, kubeconfigYaml({ server: url, caPem, token }), { mode: 0o600 });
    const client = await createClient({ server: url, caPem, token });
    closing.push(() => client.close());
    await installDefinitions(client, definitionsWith(undefined), { fieldManager: 'bench' });
    await putNamespace(client);
    const progress = await followHosts(client);
    closing.push(() => progress.stop());
    const controllers = await startControllers(folder, kubeconfig);
    closing.push(() => controllers.stop());
    await putDiscovery(client);
    return await measure(order, { client, server, controllers, progress });
  } finally {
    for (const close of closing.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startControllers(folder: string, kubeconfig: string) {
  const program = join(import.meta.dirname, 'controllers-process.ts');
  const words = [...nodeOptions, program, kubeconfig, join(folder, 'agents.db'), bootToken, fleet];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [agentsUrl] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    pid: child.pid ?? 0,
    agentsUrl,
    async stop() {
      const ended = once(child, 'exit');
      if (child.kill('SIGTERM')) await ended;
    },
  };
}

async function measure(order: DiscoveryRunOrder, plane: Plane): Promise<DiscoveryRunFigures> {
  const { client, controllers, server, progress } = plane;
  const warm = machinesOf('warm', order.warmUp);
  await switchOn(controllers.agentsUrl, warm, 0);
  await progress.whenAvailable(warm.length, limitMsOf(warm.length));
  const requests = await untilAtRest(client, rest);
  const before = { own: cpuMs(controllers.pid), server: server.cpuMs() };
  const beganAt = performance.now();
  const machines = machinesOf('host', order.hosts);
  const all = warm.length + machines.length;
  await switchOn(controllers.agentsUrl, machines, order.powerOnSeconds);
  await progress.whenAvailable(all, limitMsOf(all));
  const seconds = (performance.now() - beganAt) / 1000;
  const after = await untilAtRest(client, rest);
  const figures = { cpuMs: cpuMs(controllers.pid) - before.own, apiserverCpuMs: server.cpuMs() - before.server };
  const { right, wrong } = await readOutcome(client, [...warm, ...machines]);
  return {
    ...figures,
    seconds,
    peakMiB: peakMiB(controllers.pid),
    requests: ofControllers(requestsBetween(requests, after)),
    right: right - warm.length,
    wrong,
  };
}

/** Each machine introduces itself at its moment within so many seconds, as its agent does once it has booted. */
async function switchOn(url: string, machines: readonly BenchMachine[], seconds: number): Promise<void> {
  const dispatcher = new Agent({ connections: 64 });
  const headers = { authorization: `Bearer ${bootToken}`, 'content-type': 'application/json' };
  await Promise.all(
    machines.map(async (machine, index) => {
      await delay((seconds * 1000 * index) / machines.length);
      const body = JSON.stringify(introductionOf(machine));
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      const text = await answer.body.text();
      if (answer.statusCode !== 201) throw new Error(`${machine.hostname} got ${answer.statusCode}: ${text}`);
    }),
  );
  await dispatcher.close();
}

function ofControllers(requests: readonly RequestCount[]): readonly RequestCount[] {
  return requests.filter(({ resource }) => {
    const [kind = ''] = resource.split('/');
    return kind === 'leases' || operatorResources.has(kind);
  });
}
