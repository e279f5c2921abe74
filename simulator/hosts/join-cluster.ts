import { type Clock, createClient, isAlreadyExists, type KubeClient, sleep } from '../../src/kube/index.ts';
import { refusalToReach } from '../loopback/loopback-address.ts';
import type { NodeSeed } from './node-seed.ts';

/** What a system runs in. */
export interface JoinSurroundings {
  readonly clock: Clock;
  /** Aborts when the system stops. */
  readonly signal: AbortSignal;
  note(event: string, detail: string): void;
}

const retryMs = 30_000;
const nodes = { group: '', version: 'v1', resource: 'nodes', namespaced: false, kind: 'Node' } as const;

/** Registers the node of a deployed system, as its kubelet does; an API server that is away is asked again. */
export async function joinCluster(seed: NodeSeed, { clock, signal, note }: JoinSurroundings): Promise<void> {
  const refusal = URL.canParse(seed.server) ? await refusalToReach(new URL(seed.server)) : 'that is no address';
  if (refusal !== undefined) {
    note('node.not-joined', `server=${seed.server} why="${refusal}"`);
    return;
  }
  while (!signal.aborted) {
    const problem = await register(seed, new Date(clock.now()));
    if (signal.aborted) return;
    note(problem === undefined ? 'node.joined' : 'node.not-joined', `name=${seed.name}${problem ?? ''}`);
    if (problem === undefined) return;
    await sleep(clock, retryMs, signal);
  }
}

/** Why it could not be; undefined where it is registered. */
async function register({ server, caPem, token, name, uuid }: NodeSeed, now: Date): Promise<string | undefined> {
  const client = await createClient({ server, token, ...(caPem === undefined ? {} : { caPem }) });
  try {
    await createNode(client, { name, uuid });
    const at = now.toISOString().replace(/\.\d+Z$/, 'Z');
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
    const conditions = [{ ...ready, lastHeartbeatTime: at, lastTransitionTime: at }];
    await client.resource(nodes).status.patch({ name }, { type: 'merge', body: { status: { conditions } } });
    return undefined;
  } catch (error) {
    return ` why="${error instanceof Error ? error.message.slice(0, 200) : 'not known'}"`;
  } finally {
    await client.close();
  }
}

async function createNode(client: KubeClient, { name, uuid }: Pick<NodeSeed, 'name' | 'uuid'>): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, 'metal3.io/uuid': uuid };
  const metadata = { name, labels };
  try {
    await client.resource(nodes).create({ apiVersion: 'v1', kind: 'Node', metadata });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await client.resource(nodes).patch({ name }, { type: 'merge', body: { metadata: { labels } } });
  }
}
