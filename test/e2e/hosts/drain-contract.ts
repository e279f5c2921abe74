import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type BareMetalHost, metal3ApiVersion } from '../../../src/api/index.ts';
import { createHostNodes, type HostNodes } from '../../../src/hosts/nodes/host-nodes.ts';
import {
  type AnyKubeObject,
  type ConnectionSpec,
  createClient,
  isNotFound,
  type KubeClient,
  keyOf,
} from '../../../src/kube/index.ts';

const core = (resource: string, namespaced: boolean) => ({ group: '', version: 'v1', resource, namespaced });
const namespace = 'drained';
const noteName = 'hosts.rackwright.io/drained-for';

function hostWith(uid: string, consumer?: string): BareMetalHost {
  const consumerRef = { kind: 'Metal3Machine', name: consumer ?? '', namespace: 'fleet', apiVersion: 'x/v1' };
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { namespace: 'fleet', name: 'h7', uid },
    spec: { online: true, ...(consumer === undefined ? {} : { consumerRef }) },
  };
}

/** Runs what draining needs of an API server, the embedded one or a real one. */
export function runDrainContract(title: string, connect: () => Promise<ConnectionSpec>): void {
  describe(`a Node is drained on ${title}`, () => {
    let client: KubeClient;
    let nodes: HostNodes;
    const nodeObjects = () => client.resource<AnyKubeObject>({ ...core('nodes', false), kind: 'Node' });
    const pods = () => client.resource<AnyKubeObject>({ ...core('pods', true), kind: 'Pod' });
    const budgets = () =>
      client.resource<AnyKubeObject>({
        ...{ group: 'policy', version: 'v1', resource: 'poddisruptionbudgets', namespaced: true },
        kind: 'PodDisruptionBudget',
      });

    before(async () => {
      client = await createClient(await connect());
      nodes = createHostNodes(client);
      await client
        .resource<AnyKubeObject>({ ...core('namespaces', false), kind: 'Namespace' })
        .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });
    after(() => client.close());

    const putNode = (name: string, more: { readonly labels?: Record<string, string>; readonly spec?: object } = {}) =>
      nodeObjects().create({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: more.labels ?? {} },
        spec: more.spec ?? {},
      } as AnyKubeObject);

    const putPod = async (name: string, nodeName: string, metadata: object = {}) => {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace, name, labels: { app: name }, ...metadata },
        // Without a kubelet nobody would say that it has ended.
        spec: { nodeName, terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'example/none' }] },
      };
      await created(() => pods().create(pod as unknown as AnyKubeObject));
    };

    /** The uid of a DaemonSet: a real cluster takes away the pods of one that is not there. */
    const daemonSet = async (app: string): Promise<string> => {
      const sets = client.resource<AnyKubeObject>({
        ...{ group: 'apps', version: 'v1', resource: 'daemonsets', namespaced: true },
        kind: 'DaemonSet',
      });
      const spec = { containers: [{ name: 'c', image: 'example/none' }] };
      const made = sets.create({
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { namespace, name: 'd' },
        spec: { selector: { matchLabels: { app } }, template: { metadata: { labels: { app } }, spec } },
      } as unknown as AnyKubeObject);
      const { metadata } = await made.catch((error: unknown) => {
        if (isNotFound(error)) return { metadata: { uid: 'd-1' } };
        throw error;
      });
      return metadata?.uid ?? '';
    };

    /** A real API server makes the service account of a namespace in its own time. */
    const created = async (create: () => Promise<unknown>): Promise<void> => {
      for (let tries = 0; ; tries += 1) {
        try {
          await create();
          return;
        } catch (error) {
          if (tries === 600 || !/service ?account/i.test(String(error))) throw error;
          await delay(100);
        }
      }
    };

    const names = async (nodeName: string) =>
      (await pods().list({ namespace, fieldSelector: `spec.nodeName=${nodeName}` })).items.map(
        ({ metadata }) => metadata?.name,
      );

    const isCordoned = async (name: string) => {
      const node = (await nodeObjects().get({ name })) as { spec?: { unschedulable?: boolean } };
      return node.spec?.unschedulable === true;
    };

    const until = async (name: string, ticket: string) => {
      for (let looks = 0; looks < 600; looks += 1) {
        const outcome = await nodes.drain({ node: name, host: 'fleet/h7', ticket });
        if (outcome.kind === 'drained') return;
        await delay(100);
      }
      assert.fail(`${name} is never drained: ${JSON.stringify(await names(name))}`);
    };

    it('that is found by its id, before one with the label of its host', async () => {
      await putNode('by-label', { labels: { 'metal3.io/uuid': 'uid-7' } });
      assert.deepEqual(await nodes.find(hostWith('uid-7', 'm7')), { kind: 'found', name: 'by-label' });
      await putNode('by-id', { spec: { providerID: 'metal3://fleet/h7/m7' } });
      assert.deepEqual(await nodes.find(hostWith('uid-7', 'm7')), { kind: 'found', name: 'by-id' });
      assert.deepEqual(await nodes.find(hostWith('nobody')), { kind: 'none' });
    });

    it('of all pods but those of DaemonSets and mirrors, and is open again when it is given back', async () => {
      await putNode('full');
      await putPod('plain', 'full');
      await putPod('elsewhere', 'by-id');
      const uid = await daemonSet('daemon');
      const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid, controller: true };
      await putPod('daemon', 'full', { ownerReferences: [owner] });
      await putPod('mirror', 'full', { annotations: { 'kubernetes.io/config.mirror': 'x' } });
      await until('full', 't1');
      const left = await names('full');
      assert.deepEqual(left.sort(), ['daemon', 'mirror']);
      assert.deepEqual(await names('by-id'), ['elsewhere']);
      assert.equal(await isCordoned('full'), true);
      // What comes to be there while the host is down is in nobody's way.
      await putPod('late', 'full');
      assert.deepEqual(await nodes.drain({ node: 'full', host: 'fleet/h7', ticket: 't1' }), { kind: 'drained' });
      const other = await nodes.drain({ node: 'full', host: 'fleet/h8', ticket: 't1' });
      assert.match(other.kind === 'waits' ? other.message : '', /drained for the host fleet\/h7/);
      assert.deepEqual(await nodes.giveBack({ node: 'full', host: 'fleet/h8' }), { kind: 'done' });
      assert.equal(await isCordoned('full'), true, 'it is another host that it was drained for');
      assert.deepEqual(await nodes.giveBack({ node: 'full', host: 'fleet/h7' }), { kind: 'done' });
      const node = await nodeObjects().get({ name: 'full' });
      assert.deepEqual([await isCordoned('full'), node.metadata?.annotations?.[noteName]], [false, undefined]);
    });

    it('that somebody else cordoned, and stays so', async () => {
      await putNode('kept', { spec: { unschedulable: true } });
      await until('kept', 't1');
      await nodes.giveBack({ node: 'kept', host: 'fleet/h7' });
      assert.equal(await isCordoned('kept'), true);
      assert.deepEqual(await nodes.giveBack({ node: 'nobody', host: 'fleet/h7' }), { kind: 'done' });
    });

    it('no faster than disruption budgets allow, and it is said for which pod it waits', async () => {
      await putNode('held');
      await putPod('precious', 'held');
      // One that is not ready may always be evicted.
      const conditions = [{ type: 'Ready', status: 'True' }];
      const body = { status: { phase: 'Running', conditions } };
      await pods().status.patch({ namespace, name: 'precious' }, { type: 'merge', body });
      const budget = await budgets().create({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace, name: 'precious' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'precious' } } },
      } as AnyKubeObject);
      const outcome = await nodes.drain({ node: 'held', host: 'fleet/h7', ticket: 't1' });
      const message = outcome.kind === 'waits' ? outcome.message : outcome.kind;
      assert.match(message, /drained\/precious \(its disruption budget does not let it go\)/);
      assert.deepEqual(await names('held'), ['precious']);
      await budgets().delete(keyOf(budget));
      await until('held', 't1');
      assert.deepEqual(await names('held'), []);
    });
  });
}
