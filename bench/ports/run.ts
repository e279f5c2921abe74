import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type KubeClient } from '../../src/kube/index.ts';
import { kubeconfigYaml } from '../../test/real/kube/kubeconfig.ts';
import { readRequestCounts, requestsBetween } from '../fleet/request-counts.ts';
import { startEmbedded } from '../measured-server.ts';
import { cpuMs, type LineProcess, peakMiB, startLineProcess } from '../processes.ts';
import type { Step } from './bars.ts';
import type { CallCounts } from './counted-providers.ts';
import { startOvsdbServers } from './ovsdb-servers.ts';
import {
  followPorts,
  linkPorts,
  type PortProgress,
  prepareScene,
  putSwitches,
  type SceneSwitch,
  spreadPorts,
} from './scene.ts';

/** What to run. */
export interface PortsRunOrder {
  readonly backend: 'fixture' | 'ovsdb';
  readonly ports: number;
  readonly switches: number;
}

/** What one step came to. */
export interface StepFigures {
  readonly seconds: number;
  readonly cpuMs: number;
  /** To the API server, without those of the bench. */
  readonly requests: number;
  /** Calls that went to switches, and ports in them that were changed. */
  readonly calls: number;
  readonly portsChanged: number;
}

/** What a run came to. */
export interface PortsRunFigures {
  readonly steps: Readonly<Record<Step, StepFigures>>;
  /** The most memory that the controllers had. */
  readonly peakMiB: number;
}

interface Parts {
  readonly client: KubeClient;
  readonly controllers: LineProcess;
  readonly progress: PortProgress;
  readonly names: readonly string[];
}

/** Starts an API server, switches and the controllers, each in processes of their own, measures, and ends them. */
export async function runPorts({ backend, ports, switches: count }: PortsRunOrder): Promise<PortsRunFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ports-'));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const spread = spreadPorts(ports, count);
    const databases = backend === 'ovsdb' ? await startOvsdbServers(join(folder, 'ovs'), spread) : undefined;
    closing.push(async () => databases?.stop());
    const server = await startEmbedded(join(folder, 'plane'));
    closing.push(() => server.stop());
    const { port, caPem, token } = server.endpoint;
    const connection = { server: `https://127.0.0.1:${port}`, caPem, token };
    const client = await createClient(connection);
    closing.push(() => client.close());
    await prepareScene(client);
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigYaml(connection), { mode: 0o600 });
    const controllers = startLineProcess(join(import.meta.dirname, 'controllers-process.ts'), [kubeconfig]);
    closing.push(() => controllers.stop());
    await controllers.next();
    const progress = await followPorts(client);
    closing.push(() => progress.stop());
    const switches: readonly SceneSwitch[] = spread.map((names, at) => ({
      name: `leaf${at}`,
      ports: names,
      address: databases?.addresses[at],
    }));
    await putSwitches(client, switches);
    await progress.whenSo(ports, undefined);
    const names = switches.flatMap(({ name, ports: own }) => own.map((each) => `${name}-${each}`));
    return await measure({ client, controllers, progress, names });
  } finally {
    for (const close of closing.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(parts: Parts): Promise<PortsRunFigures> {
  // Once through before anything counts: what the machine learns by doing is learnt.
  for (const configuration of ['first', 'second', undefined]) await takeStep(parts, configuration);
  const configured = await takeStep(parts, 'first');
  const changed = await takeStep(parts, 'second');
  const cleaned = await takeStep(parts, undefined);
  return { steps: { configured, changed, cleaned }, peakMiB: peakMiB(parts.controllers.pid) };
}

async function takeStep(
  { client, controllers, progress, names }: Parts,
  configuration: string | undefined,
): Promise<StepFigures> {
  const before = { ...(await countAll(client, controllers)), cpu: cpuMs(controllers.pid) };
  const beganAt = performance.now();
  await Promise.all([linkPorts(client, names, configuration), progress.whenSo(names.length, configuration)]);
  const seconds = (performance.now() - beganAt) / 1000;
  const after = { ...(await countAll(client, controllers)), cpu: cpuMs(controllers.pid) };
  const requests = requestsBetween(before.requests, after.requests).reduce((sum, each) => sum + each.count, 0);
  return {
    seconds,
    cpuMs: after.cpu - before.cpu,
    requests: requests - names.length,
    calls: callsOf(after.calls) - callsOf(before.calls),
    portsChanged: after.calls.portsChanged - before.calls.portsChanged,
  };
}

function callsOf({ verify, read, apply, clear }: CallCounts): number {
  return verify + read + apply + clear;
}

async function countAll(client: KubeClient, controllers: LineProcess) {
  const metrics = await client.requestText({ method: 'GET', path: '/metrics', accept: 'text/plain' });
  controllers.send({});
  return { requests: readRequestCounts(metrics), calls: (await controllers.next()) as CallCounts };
}
