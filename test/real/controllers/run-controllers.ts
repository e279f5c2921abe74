import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, installDefinitions } from '../../../src/kube/index.ts';
import { createCertificateAuthority } from '../certificate-authority.ts';
import { untilServed } from '../cluster-api/real-cluster-api.ts';
import { freePortRange } from '../free-ports.ts';
import { kubeconfigYaml } from '../kube/kubeconfig.ts';
import { type StartedProcess, startProcess } from '../processes.ts';
import { approverPolicy } from './approver-policy.ts';
import { clusterApi } from './cluster-api.ts';
import type { Exchange } from './exchanges.ts';
import { kro } from './kro.ts';
import { kustomizeController } from './kustomize-controller.ts';
import { openObjects } from './objects.ts';
import type { ControllerProgram } from './programs.ts';
import { startRecordingProxy } from './recording-proxy.ts';
import type { Bench, ControllerStart, Scenario } from './scenario.ts';
import { trustManager } from './trust-manager.ts';

export const scenarios: readonly Scenario[] = [clusterApi, kro, trustManager, approverPolicy, kustomizeController];

/** The API server that the controllers work on. */
export interface ServerAddress {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
}

/** What one controller did on one server. */
export interface ControllerRecord {
  readonly exchanges: readonly Exchange[];
  readonly rounds: number;
  readonly seconds: number;
}

export interface RunOptions {
  readonly address: ServerAddress;
  readonly program: ControllerProgram;
  readonly folder: string;
  /** The work is given again until so much time is over, and once at least. */
  readonly forMs: number;
}

const patienceMs = 300_000;

/** Runs one controller on a server, gives it its work, and says what it requested and how it was answered. */
export async function runController(scenario: Scenario, options: RunOptions): Promise<ControllerRecord> {
  const { address, program, forMs } = options;
  const folder = join(options.folder, scenario.name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ends: (() => Promise<void>)[] = [];
  const defer = (end: () => Promise<void>) => ends.push(end);
  try {
    const authority = await createCertificateAuthority('controllers-test');
    const certificate = await authority.issueServer('recording-proxy');
    const proxy = await startRecordingProxy({ ...address, certificate });
    defer(() => proxy.stop());
    const client = await createClient(address);
    defer(() => client.close());
    const text = kubeconfigYaml({ server: proxy.url, caPem: authority.certPem, token: address.token });
    const kubeconfig = { path: join(folder, 'kubeconfig'), text };
    writeFileSync(kubeconfig.path, text, { mode: 0o600 });
    const bench: Bench = {
      ...{ objects: openObjects(client), folder, program, kubeconfig, authority },
      ...{ ports: freePortRange, defer },
    };
    const start = await scenario.prepare(bench);
    if (scenario.name !== 'cluster-api')
      await installDefinitions(client, program.definitions, { fieldManager: 'test' });
    for (const each of program.definitions) await untilServed(client, each);
    const started = startProcess({
      ...{ name: scenario.name, file: 'nice', args: ['-n', '10', program.file, ...start.args] },
      logPath: join(folder, 'controller.log'),
      env: { ...process.env, ...start.env },
    });
    defer(() => started.stop());
    await untilWorking(started, start);
    const began = performance.now();
    let rounds = 0;
    do {
      rounds += 1;
      await scenario.work(bench, rounds).catch((error: unknown) => {
        throw new Error(`${scenario.name} did not do its work:\n${started.tail()}`, { cause: error });
      });
    } while (performance.now() < began + forMs);
    const seconds = Math.round((performance.now() - began) / 1000);
    await started.stop();
    return { exchanges: [...proxy.exchanges], rounds, seconds };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function untilWorking(started: StartedProcess, { logsWhenWorking }: ControllerStart): Promise<void> {
  if (logsWhenWorking === undefined) return;
  const deadline = performance.now() + patienceMs;
  while (!logsWhenWorking.test(await readFile(started.logPath, 'utf8'))) {
    if (!started.isRunning()) throw new Error(`${started.name} ended:\n${started.tail()}`);
    if (performance.now() > deadline) throw new Error(`${started.name} did not start working:\n${started.tail()}`);
    await delay(100);
  }
}
