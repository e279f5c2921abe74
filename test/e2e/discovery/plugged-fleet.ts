import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { BareMetalHost, BareMetalHostDiscovery } from '../../../src/api/index.ts';
import {
  type AnyKubeObject,
  createClient,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
  type ResourceRef,
} from '../../../src/kube/index.ts';
import { type CliProcess, type CliResult, runCli, startUp, temporaryFolder } from '../cli-fixture.ts';

const metal3 = { group: 'metal3.io', version: 'v1alpha1', namespaced: true };
const cluster = { group: 'cluster.x-k8s.io', version: 'v1beta2', namespaced: true };
const nodeRef = { group: '', version: 'v1', resource: 'nodes', namespaced: false, kind: 'Node' };
const examples = join(import.meta.dirname, '..', '..', '..', 'examples');

/** What comes back for an introduction. */
export interface Introduced {
  readonly status: number;
  readonly body: string;
}

/** `rackwright up` with simulated servers that are off and that nobody has registered, and hands to use it with. */
export interface PluggedFleet {
  readonly hosts: ResourceClient<BareMetalHost & KubeObject>;
  readonly discoveries: ResourceClient<BareMetalHostDiscovery & KubeObject>;
  readonly sets: ResourceClient<AnyKubeObject>;
  readonly machines: ResourceClient<AnyKubeObject>;
  readonly nodes: ResourceClient<AnyKubeObject>;
  readonly events: ResourceClient<AnyKubeObject>;
  readonly hardwareData: ResourceClient<AnyKubeObject>;
  /** Runs a command that has to succeed; gives what it printed. */
  run(words: readonly string[], input?: string): Promise<string>;
  /** Applies the manifests of an example, and the user data that its set names. */
  applyExample(name: string, namespace: string): Promise<void>;
  /** Presses a button of a server. */
  press(server: string, type: string): Promise<void>;
  logOf(server: string): Promise<string>;
  /** Introduces a machine as an agent does that has the boot token. */
  introduce(inventory: object): Promise<Introduced>;
  close(): Promise<void>;
}

/** Starts such a fleet. */
export async function startPluggedFleet(spares: number): Promise<PluggedFleet> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const up = await startUp(dataDir, ['--simulate', '0', '--spares', String(spares)]);
  assert.doesNotMatch(up.printed.out, /undefined/);
  const client = await createClient({ kubeconfig: join(dataDir, 'kubeconfig') });
  const run = async (words: readonly string[], input?: string): Promise<string> => {
    const { code, out, err }: CliResult = await runCli([...words, '--data-dir', dataDir], {
      ...(input === undefined ? {} : { input }),
    });
    assert.equal(code, 0, err);
    return out;
  };
  const agents = openAgents(up, dataDir);
  return {
    ...resourcesOf(client),
    run,
    async applyExample(name, namespace) {
      await run(['simulate', 'join-secret', 'join', '-n', namespace]);
      await run(['apply', '-f', join(examples, name)]);
    },
    press: async (server, type) => void (await run(['simulate', 'reset', server, type])),
    logOf: (server) => run(['simulate', 'log', server]),
    introduce: agents.introduce,
    async close() {
      await agents.close();
      await client.close();
      await up.end('SIGKILL');
      folder.remove();
    },
  };
}

function resourcesOf(client: KubeClient) {
  const of = (ref: ResourceRef) => client.resource<AnyKubeObject>(ref);
  return {
    hosts: client.resource<BareMetalHost & KubeObject>({
      ...metal3,
      resource: 'baremetalhosts',
      kind: 'BareMetalHost',
    }),
    discoveries: client.resource<BareMetalHostDiscovery & KubeObject>({
      ...metal3,
      resource: 'baremetalhostdiscoveries',
      kind: 'BareMetalHostDiscovery',
    }),
    hardwareData: of({ ...metal3, resource: 'hardwaredata', kind: 'HardwareData' }),
    sets: of({ ...cluster, resource: 'machinesets', kind: 'MachineSet' }),
    machines: of({ ...cluster, resource: 'machines', kind: 'Machine' }),
    nodes: of(nodeRef),
    events: of({ group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' }),
  };
}

/** A stranger on the provisioning network: the boot token is all that it has. */
function openAgents(up: CliProcess, dataDir: string) {
  const [, url = '', tokenFile = ''] = /Agents +(\S+) +boot tokens in (\S+)/.exec(up.printed.out) ?? [];
  const token = readFileSync(tokenFile, 'utf8').trim();
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
  return {
    async introduce(inventory: object): Promise<Introduced> {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ inventory });
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      return { status: answer.statusCode, body: await answer.body.text() };
    },
    close: () => dispatcher.close(),
  };
}

/** Where an object is. */
export interface Place {
  readonly namespace?: string;
  readonly name: string;
}

/** Waits until an object is there and as told, by watching it; says how it last was when that takes far too long. */
export async function untilSo<T extends KubeObject>(
  client: ResourceClient<T>,
  { namespace, name }: Place,
  isSo: (object: T) => boolean = () => true,
): Promise<T> {
  let last: T | undefined;
  const limit = AbortSignal.timeout(240_000);
  const where = namespace === undefined ? {} : { namespace };
  while (!limit.aborted) {
    try {
      const options = { ...where, fieldSelector: `metadata.name=${name}`, signal: limit };
      for await (const event of client.watch(options)) {
        if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue;
        last = event.object;
        if (isSo(last)) return last;
      }
    } catch (error) {
      if (!limit.aborted) throw error;
    }
  }
  return assert.fail(
    `${client.ref.resource} ${name} did not become as it should: ${JSON.stringify(last, withoutFields, 1)}`,
  );
}

/** Managed fields hide what matters. */
function withoutFields(name: string, value: unknown): unknown {
  return name === 'managedFields' ? undefined : value;
}

/** Waits until any object of a namespace is as told. */
export async function untilAny<T extends KubeObject>(
  client: ResourceClient<T>,
  namespace: string,
  isSo: (object: T) => boolean,
): Promise<void> {
  const limit = AbortSignal.timeout(240_000);
  while (!limit.aborted) {
    const { items } = await client.list({ namespace });
    if (items.some(isSo)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.fail(`none of the ${client.ref.resource} in ${namespace} became as it should`);
}

/** Waits until an object is gone. */
export async function untilNone<T extends KubeObject>(client: ResourceClient<T>, { namespace, name }: Place) {
  const limit = AbortSignal.timeout(240_000);
  const where = namespace === undefined ? {} : { namespace };
  while (!limit.aborted) {
    const { items } = await client.list({ ...where, fieldSelector: `metadata.name=${name}` });
    if (items.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.fail(`${client.ref.resource} ${name} is still there`);
}
