import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, installDefinitions, type KubeClient } from '../../src/kube/index.ts';
import { kubeconfigYaml } from '../../test/real/kube/kubeconfig.ts';
import { type RequestCount, requestsBetween } from '../fleet/request-counts.ts';
import { countRequests, untilAtRest } from '../fleet/requests-at-rest.ts';
import { type MeasuredServer, startEmbedded, startReal } from '../measured-server.ts';
import { cpuMs, peakMiB } from '../processes.ts';
import { countAvailable, countComplete, readBeside } from './completeness.ts';
import { followWrites } from './last-write.ts';
import { type Operator, type RunningOperator, startOperator } from './operator.ts';
import { followHosts, type Progress } from './progress.ts';
import { operatorRequests } from './requests.ts';
import { definitionsWith, hostNames, putHosts, putNamespace, putSecrets } from './scene.ts';
import { tallyWrites, type WrittenObjects, watchWrites } from './written-objects.ts';

/** What to run. */
export interface HostsRunOrder {
  readonly plane: 'embedded' | 'real';
  readonly operator: Operator;
  readonly hosts: number;
  /** Hosts that are made available before. */
  readonly warmUp: number;
  /** Also tell who writes to what; the watches for that cost time, so nothing else of such a run counts. */
  readonly hasWrites?: boolean;
}

/** What a run came to. */
export interface HostsRunFigures {
  /** From the first request for a host to the last host that is available. */
  readonly seconds: number;
  /** Until the last write: events and what firmware there is may come after a host is available. */
  readonly doneSeconds: number;
  /** Until there was nothing more to do, of the operator's process and of the API server's. */
  readonly operatorCpuMs: number;
  readonly apiserverCpuMs: number;
  readonly operatorMiB: number;
  readonly apiserverMiB: number;
  readonly requests: readonly RequestCount[];
  readonly available: number;
  readonly complete: number;
  readonly written: WrittenObjects | undefined;
}

interface Parts {
  readonly client: KubeClient;
  readonly server: MeasuredServer;
  readonly operator: RunningOperator;
  readonly progress: Progress;
}

/** An operator that is far too slow is given up. */
const limitMsOf = (hosts: number): number => 120_000 + hosts * 2000;
/** Events and firmware may come after a host is available. */
const rest = { ms: 2000, pick: operatorRequests };

/** Starts an API server and an operator in processes of their own, measures, and ends them. */
export async function runHosts(order: HostsRunOrder): Promise<HostsRunFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-hosts-'));
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const dataDir = join(folder, 'plane');
    const server = await (order.plane === 'real' ? startReal(dataDir) : startEmbedded(dataDir));
    closing.push(() => server.stop());
    const { port, caPem, token } = server.endpoint;
    const kubeconfig = join(folder, 'kubeconfig');
    const url = `https://127.0.0.1:${port}`;
    writeFileSync(kubeconfig, kubeconfigYaml({ server: url, caPem, token }), { mode: 0o600 });
    const client = await createClient({ server: url, caPem, token });
    closing.push(() => client.close());
    await installDefinitions(client, definitionsWith(order.operator.definitions), { fieldManager: 'bench' });
    await putNamespace(client);
    const progress = await followHosts(client);
    closing.push(() => progress.stop());
    const operator = startOperator(order.operator, kubeconfig);
    closing.push(() => operator.stop());
    return await measure(order, { client, server, operator, progress });
  } finally {
    for (const close of closing.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(order: HostsRunOrder, parts: Parts): Promise<HostsRunFigures> {
  const { client, operator, server } = parts;
  const stopWatching = order.hasWrites === true ? await watchWrites(client) : undefined;
  const warm = hostNames('warm', order.warmUp);
  await putSecrets(client, warm);
  await makeAvailable(parts, { names: warm, already: 0 });
  await untilAtRest(client, rest);
  const names = hostNames('host', order.hosts);
  await putSecrets(client, names);
  const before = { requests: await countRequests(client), own: cpuMs(operator.pid), server: server.cpuMs() };
  const beganAt = performance.now();
  await makeAvailable(parts, { names, already: warm.length });
  const seconds = (performance.now() - beganAt) / 1000;
  const whenWritten = followWrites(client, () => performance.now());
  const after = await untilAtRest(client, rest);
  const doneSeconds = ((await whenWritten()) - beganAt) / 1000;
  const figures = {
    seconds,
    doneSeconds,
    operatorCpuMs: cpuMs(operator.pid) - before.own,
    apiserverCpuMs: server.cpuMs() - before.server,
    operatorMiB: peakMiB(operator.pid),
    apiserverMiB: server.residentMiB(),
    requests: operatorRequests(requestsBetween(before.requests, after)),
  };
  const available = await countAvailable(client, names);
  const complete = countComplete(names, await readBeside(client));
  const writes = await stopWatching?.();
  const written = writes === undefined ? undefined : tallyWrites(writes, [...warm, ...names]);
  return { ...figures, available, complete, written };
}

async function makeAvailable(
  { client, operator, progress }: Parts,
  { names, already }: { readonly names: readonly string[]; readonly already: number },
): Promise<void> {
  await putHosts(client, names, already);
  const available = progress.whenAvailable(already + names.length, limitMsOf(names.length));
  await Promise.race([available, operator.failed]);
}
