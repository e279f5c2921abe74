import {
  type Clock,
  createClient,
  isAlreadyExists,
  type KubeClient,
  type KubeObject,
  sleep,
} from '../../src/kube/index.ts';
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
const heartbeatMs = 10_000;
interface Node extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}
const nodes = { group: '', version: 'v1', resource: 'nodes', namespaced: false, kind: 'Node' } as const;

/**
 * Registers the node of a deployed system and posts that it is ready as long as the system runs, as its kubelet does. An
 * API server that is away is asked again.
 */
export async function joinCluster(seed: NodeSeed, { clock, signal, note }: JoinSurroundings): Promise<void> {
  const refusal = URL.canParse(seed.server) ? await refusalToReach(new URL(seed.server)) : 'that is no address';
  if (refusal !== undefined) {
    note('node.not-joined', `server=${seed.server} why="${refusal}"`);
    return;
  }
  const { server, caPem, token, name } = seed;
  const client = await createClient({ server, token, ...(caPem === undefined ? {} : { caPem }) });
  let isJoined = false;
  let told: string | undefined;
  while (!signal.aborted) {
    const problem = await post(client, seed, { isJoined, now: new Date(clock.now()), signal });
    if (signal.aborted) break;
    isJoined ||= problem === '';
    const event = problem === '' ? 'node.joined' : isJoined ? 'node.heartbeat-failed' : 'node.not-joined';
    if (told !== problem) note(event, `name=${name}${problem}`);
    told = problem;
    await sleep(clock, isJoined ? heartbeatMs : retryMs, signal);
  }
  await client.close();
}

interface Post {
  readonly isJoined: boolean;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Why it could not be; empty where the node is registered and ready. */
async function post(client: KubeClient, seed: NodeSeed, { isJoined, now, signal }: Post): Promise<string> {
  const { name } = seed;
  try {
    // A node that was deleted since is not made again before the next start.
    if (!isJoined) await createNode(client, seed);
    const node = await client.resource<Node>(nodes).get({ name }, { signal });
    const before = node.status?.conditions?.find(({ type }) => type === 'Ready');
    const at = now.toISOString().replace(/\.\d+Z$/, 'Z');
    const lastTransitionTime = before?.status === 'True' ? (before.lastTransitionTime ?? at) : at;
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
    const conditions = [{ ...ready, lastHeartbeatTime: at, lastTransitionTime }];
    const body = { status: { conditions } };
    await client.resource(nodes).status.patch({ name }, { type: 'strategic', body }, { signal });
    return '';
  } catch (error) {
    return ` why="${error instanceof Error ? error.message.slice(0, 200) : 'not known'}"`;
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
