import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  type AnyKubeObject,
  addFinalizer,
  allowed,
  applyObject,
  type ConnectionSpec,
  createCertificateAuthority,
  createClient,
  createEventRecorder,
  createInformer,
  createLeaderElection,
  createLeaseStore,
  createMemoryAuthorityStore,
  createResourceMapper,
  createRotatingCertificates,
  createWebhookPublisher,
  defineAdmissionRule,
  defineController,
  denied,
  type Informer,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  issueServerCertificate,
  type KubeClient,
  type KubeObject,
  keyOf,
  ok,
  patched,
  type ResourceClient,
  type ResourceRef,
  removeFinalizer,
  removeWebhookConfigurations,
  replaceStatus,
  retryOnConflict,
  startAdmissionServer,
  systemClock,
  uniqueIdentity,
  watchInformer,
} from '../../src/kube/index.ts';

interface Gadget extends AnyKubeObject {
  spec?: { size?: number; colour?: string; replicas?: number; parts?: { name: string; count?: number }[] };
  status?: { phase?: string; replicas?: number };
}

const group = 'contract.rackwright.io';
const gadgets: ResourceRef = { group, version: 'v1', resource: 'gadgets', namespaced: true, kind: 'Gadget' };
const configMaps: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  namespaced: true,
  kind: 'ConfigMap',
};
const namespaces: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  namespaced: false,
  kind: 'Namespace',
};
const eventsRef: ResourceRef = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };

function version(name: string, storage: boolean) {
  const part = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, count: { type: 'integer' } },
  };
  return {
    name,
    served: true,
    storage,
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              size: { type: 'integer', minimum: 0 },
              colour: { type: 'string', default: 'grey' },
              replicas: { type: 'integer' },
              convertedTo: { type: 'string' },
              parts: {
                type: 'array',
                items: part,
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['name'],
              },
            },
          },
          status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
        },
      },
    },
  };
}

const definition: AnyKubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `gadgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: {
      kind: 'Gadget',
      plural: 'gadgets',
      singular: 'gadget',
      listKind: 'GadgetList',
      shortNames: ['gdg'],
      categories: ['contract'],
    },
    versions: [version('v1', true), version('v2', false)],
  },
};

/** Tries until it does not throw; for what a server does a moment later. The test's time limit is the only limit. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Resolves once the condition holds for what the informer holds. */
async function until<T extends AnyKubeObject>(informer: Informer<T>, condition: () => boolean): Promise<void> {
  const held = Promise.withResolvers<void>();
  const check = (): void => {
    if (condition()) held.resolve();
  };
  const leave = informer.onChange(check);
  check();
  await held.promise;
  leave();
}

/** A client that tells when its watches begin. */
function countWatches(client: KubeClient): { client: KubeClient; began(count: number): Promise<void> } {
  let count = 0;
  const waiting = new Map<number, () => void>();
  const resource = <T extends KubeObject>(ref: ResourceRef): ResourceClient<T> => {
    const inner = client.resource<T>(ref);
    const watch: typeof inner.watch = (options) => {
      waiting.get(++count)?.();
      return inner.watch(options);
    };
    return { ...inner, watch };
  };
  return {
    client: { ...client, resource },
    began: (wanted) => (count >= wanted ? Promise.resolve() : new Promise((resolve) => waiting.set(wanted, resolve))),
  };
}

/** Registers the tests that every Kubernetes API must pass with our client: the embedded one and the real one. */
export function runKubeContract(name: string, connect: () => ConnectionSpec | Promise<ConnectionSpec>): void {
  describe(`our Kubernetes client on ${name}`, { timeout: 300_000 }, () => {
    const namespace = `contract-${randomUUID().slice(0, 8)}`;
    const timing = { clock: systemClock, random: Math.random };
    let client: KubeClient;
    let gadget: ResourceClient<Gadget>;
    const make = (gadgetName: string, spec: Gadget['spec'] = {}): Gadget => ({
      apiVersion: `${group}/v1`,
      kind: 'Gadget',
      metadata: { name: gadgetName, namespace },
      spec,
    });
    const at = (gadgetName: string) => ({ namespace, name: gadgetName });

    before(async () => {
      client = await createClient(await connect(), { fieldManager: 'contract' });
      gadget = client.resource<Gadget>(gadgets);
      await client.resource(namespaces).create({ metadata: { name: namespace } });
      const mapper = createResourceMapper(client);
      await applyObject(client, mapper, definition, { fieldManager: 'contract', isForced: true });
      await eventually(() => gadget.list({ namespace }));
    });

    after(async () => {
      await client.resource(namespaces).delete({ name: namespace });
      await client.close();
    });

    test('creates, reads, replaces and deletes, and names each refusal', async () => {
      const made = await gadget.create(make('crud', { size: 1 }));
      assert.equal(made.spec?.colour, 'grey');
      await assert.rejects(gadget.create(make('crud')), isAlreadyExists);
      await assert.rejects(gadget.create(make('bad', { size: -1 })), isInvalid);
      const replaced = await gadget.replace({ ...made, spec: { size: 2 } });
      assert.equal(replaced.metadata?.generation, 2);
      await assert.rejects(gadget.replace({ ...made, spec: { size: 3 } }), isConflict);
      assert.equal((await gadget.get(at('crud'))).spec?.size, 2);
      await gadget.delete(at('crud'));
      await assert.rejects(gadget.get(at('crud')), isNotFound);
      await assert.rejects(gadget.delete(at('crud')), isNotFound);
    });

    test('a dry run changes nothing', async () => {
      assert.equal((await gadget.create(make('dry'), { isDryRun: true })).metadata?.name, 'dry');
      await assert.rejects(gadget.get(at('dry')), isNotFound);
    });

    test('strict field validation refuses unknown fields', async () => {
      const object = { ...make('strict'), spec: { unknown: 1 } } as Gadget;
      await assert.rejects(gadget.create(object, { fieldValidation: 'Strict' }), /unknown field "spec.unknown"/);
    });

    test('patches in every way', async () => {
      await gadget.create(make('patch', { size: 1, parts: [{ name: 'a' }] }));
      const operations = [
        { op: 'test' as const, path: '/spec/size', value: 1 },
        { op: 'replace' as const, path: '/spec/size', value: 2 },
      ];
      assert.equal((await gadget.patch(at('patch'), { type: 'json', operations })).spec?.size, 2);
      await assert.rejects(gadget.patch(at('patch'), { type: 'json', operations }), isInvalid);
      const merged = await gadget.patch(at('patch'), { type: 'merge', body: { spec: { size: null, colour: 'red' } } });
      assert.deepEqual(merged.spec, { colour: 'red', parts: [{ name: 'a' }] });
      const maps = client.resource<AnyKubeObject>(configMaps);
      await maps.create({ metadata: at('strategic'), data: { a: '1' } });
      const strategic = await maps.patch(at('strategic'), { type: 'strategic', body: { data: { b: '2' } } });
      assert.deepEqual(strategic.data, { a: '1', b: '2' });
    });

    test('applies with owners: a conflict names the field, force takes it, leaving it out gives it up', async () => {
      await gadget.apply(make('apply', { size: 1, parts: [{ name: 'a', count: 1 }] }), { fieldManager: 'one' });
      await assert.rejects(gadget.apply(make('apply', { size: 2 }), { fieldManager: 'two' }), (error) => {
        assert.ok(isConflict(error));
        assert.deepEqual(
          error.status.details?.causes?.map((c) => c.field),
          ['.spec.size'],
        );
        return true;
      });
      const both = await gadget.apply(make('apply', { size: 2, parts: [{ name: 'b' }] }), {
        fieldManager: 'two',
        isForced: true,
      });
      assert.deepEqual(
        both.spec?.parts?.map((p) => p.name),
        ['a', 'b'],
      );
      const less = await gadget.apply(make('apply', { size: 2 }), { fieldManager: 'two' });
      assert.deepEqual(
        less.spec?.parts?.map((p) => p.name),
        ['a'],
      );
    });

    test('writes status and spec apart, and scales', async () => {
      const made = await gadget.create(make('sub', { size: 1, replicas: 1 }));
      await replaceStatus(gadget, { ...made, spec: { size: 9 } }, { phase: 'Ready', replicas: 1 });
      const read = await gadget.get(at('sub'));
      assert.deepEqual([read.spec?.size, read.status?.phase], [1, 'Ready']);
      await gadget.status.apply({ ...make('sub'), status: { phase: 'Busy' } }, { fieldManager: 'one', isForced: true });
      assert.equal((await gadget.get(at('sub'))).status?.phase, 'Busy');
      const scale = await gadget.scale.get(at('sub'));
      assert.deepEqual([scale.spec?.replicas, scale.status?.replicas], [1, 1]);
      await gadget.scale.patch(at('sub'), { type: 'merge', body: { spec: { replicas: 4 } } });
      assert.equal((await gadget.get(at('sub'))).spec?.replicas, 4);
    });

    test('deletes only what the preconditions name, and many by label', async () => {
      const made = await gadget.create({ ...make('pre'), metadata: { ...at('pre'), labels: { kept: 'no' } } });
      await assert.rejects(gadget.delete(at('pre'), { preconditions: { uid: randomUUID() } }), isConflict);
      await gadget.delete(at('pre'), { preconditions: { uid: made.metadata?.uid ?? '' } });
      for (const n of ['c1', 'c2']) await gadget.create({ ...make(n), metadata: { ...at(n), labels: { batch: 'x' } } });
      await gadget.deleteCollection({ namespace, labelSelector: 'batch=x' });
      assert.equal((await gadget.list({ namespace, labelSelector: 'batch=x' })).items.length, 0);
    });

    test('a finalizer holds a deleted object until it is taken off', async () => {
      const made = await gadget.create(make('final'));
      const held = await addFinalizer(gadget, made, `${group}/hold`, timing);
      await gadget.delete(keyOf(held));
      const dying = await gadget.get(keyOf(held));
      assert.ok(dying.metadata?.deletionTimestamp !== undefined);
      await removeFinalizer(gadget, held, `${group}/hold`, timing);
      await assert.rejects(gadget.get(keyOf(held)), isNotFound);
    });

    test('writers that conflict all get their turn', async () => {
      await gadget.create(make('race', { size: 0 }));
      const bump = () =>
        retryOnConflict({ ...timing, attempts: 50 }, async () => {
          const current = await gadget.get(at('race'));
          await gadget.replace({ ...current, spec: { size: (current.spec?.size ?? 0) + 1 } });
        });
      await Promise.all(Array.from({ length: 8 }, bump));
      assert.equal((await gadget.get(at('race'))).spec?.size, 8);
    });

    test('lists in pages of one moment', async () => {
      for (let i = 0; i < 7; i++)
        await gadget.create({ ...make(`page${i}`), metadata: { ...at(`page${i}`), labels: { page: 'y' } } });
      const versions = new Set<string>();
      const names: string[] = [];
      for await (const page of gadget.pages({ namespace, labelSelector: 'page=y', pageSize: 3 })) {
        versions.add(page.resourceVersion);
        names.push(...page.items.map((item) => item.metadata?.name ?? ''));
        assert.ok(page.items.every((item) => item.kind === 'Gadget'));
        if (names.length === 3) await gadget.delete(at('page6'));
      }
      assert.deepEqual(names, ['page0', 'page1', 'page2', 'page3', 'page4', 'page5', 'page6']);
      assert.equal(versions.size, 1);
      const maps = await client.resource<AnyKubeObject>(configMaps).list({ namespace });
      assert.ok(maps.items.every((item) => item.kind === 'ConfigMap' && item.apiVersion === 'v1'));
    });

    test('watches from a version, ends when told, and tells or refuses what was before', async () => {
      const { resourceVersion } = await gadget.list({ namespace });
      const seen: string[] = [];
      const watching = (async () => {
        for await (const { type, object } of gadget.watch({
          namespace,
          resourceVersion,
          fieldSelector: 'metadata.name=watched',
        })) {
          seen.push(`${type} ${object.spec?.size}`);
          if (type === 'DELETED') break;
        }
      })();
      await gadget.create(make('watched', { size: 1 }));
      await gadget.patch(at('watched'), { type: 'merge', body: { spec: { size: 2 } } });
      await gadget.delete(at('watched'));
      await watching;
      assert.deepEqual(seen, ['ADDED 1', 'MODIFIED 2', 'DELETED 2']);
      for await (const event of gadget.watch({
        namespace,
        resourceVersion: (await gadget.list({ namespace })).resourceVersion,
        timeoutSeconds: 1,
      })) {
        assert.fail(`nothing changed, yet there was ${event.type}`);
      }
      // A server that has forgotten the beginning says so; one that remembers it tells everything since.
      const fromTheStart: string[] = [];
      try {
        for await (const { type } of gadget.watch({ namespace, resourceVersion: '1', timeoutSeconds: 60 })) {
          fromTheStart.push(type);
          break;
        }
        assert.deepEqual(fromTheStart, ['ADDED']);
      } catch (error) {
        assert.ok(isExpired(error), String(error));
      }
    });

    test('streams the present state and marks its end', async () => {
      await gadget.create(make('initial'));
      let marked = false;
      const names: string[] = [];
      for await (const { type, object } of gadget.watch({
        namespace,
        sendInitialEvents: true,
        hasBookmarks: true,
        timeoutSeconds: 60,
      })) {
        if (type === 'BOOKMARK') {
          marked = object.metadata?.annotations?.['k8s.io/initial-events-end'] === 'true';
          break;
        }
        names.push(object.metadata?.name ?? '');
      }
      assert.ok(marked && names.includes('initial'));
    });

    test('an informer follows changes, also across the ends of its watches', async () => {
      const watches = countWatches(client);
      const informer = createInformer<Gadget>({
        client: watches.client,
        resource: gadgets,
        namespace,
        labelSelector: 'informed=yes',
        pageSize: 2,
        watchSeconds: 1,
        backoff: { baseMs: 1, maxMs: 5 },
        indexers: { colour: (object) => [object.spec?.colour ?? ''] },
        ...timing,
      });
      const labelled = (n: string, colour: string): Gadget => ({
        ...make(n, { colour }),
        metadata: { ...at(n), labels: { informed: 'yes' } },
      });
      for (const n of ['i0', 'i1', 'i2', 'i3', 'i4']) await gadget.create(labelled(n, 'red'));
      informer.start();
      await informer.whenSynced();
      assert.equal(informer.list().length, 5);
      for (let round = 0; round < 3; round++) {
        await gadget.patch(at('i1'), { type: 'merge', body: { spec: { size: round, colour: 'blue' } } });
        await until(informer, () => informer.get(`${namespace}/i1`)?.spec?.size === round);
        await watches.began(round + 2);
      }
      await gadget.delete(at('i2'));
      await until(informer, () => informer.get(`${namespace}/i2`) === undefined);
      // An object that stops matching is gone for the informer.
      await gadget.patch(at('i3'), { type: 'merge', body: { metadata: { labels: { informed: 'no' } } } });
      await until(informer, () => informer.list().length === 3);
      assert.deepEqual(
        informer.byIndex('colour', 'blue').map((o) => o.metadata?.name),
        ['i1'],
      );
      await informer.stop();
    });

    test('finds resources by kind, plural, singular, short name, group and version', async () => {
      const mapper = createResourceMapper(client);
      for (const typed of ['gadgets', 'gadget', 'Gadget', 'gdg', `gadgets.${group}`, `gadgets.v1.${group}`]) {
        assert.equal((await mapper.byName(typed)).resource, 'gadgets', typed);
      }
      const found = await mapper.byKind(`${group}/v1`, 'Gadget');
      assert.deepEqual([found.namespaced, found.subresources.toSorted()], [true, ['scale', 'status']]);
      assert.equal((await mapper.byName('cm')).resource, 'configmaps');
      assert.equal((await mapper.byName('ns')).namespaced, false);
      assert.deepEqual(
        (await mapper.byCategory('contract')).map((r) => r.kind),
        ['Gadget'],
      );
      await assert.rejects(mapper.byName('nonsense'), isNotFound);
      await assert.rejects(mapper.byKind('v1', 'Gadget'), isNotFound);
    });

    test('one of several candidates leads, and the next takes over at once when it stops', async () => {
      const candidates = [1, 2, 3].map(() => {
        const store = createLeaseStore(client, { namespace, name: 'election' });
        const stop = new AbortController();
        // Longer than the machine may stand still: nobody is to lose it but by stopping.
        const lease = { leaseMs: 120_000, renewDeadlineMs: 100_000, retryMs: 100 };
        const election = createLeaderElection({ store, identity: uniqueIdentity('test'), ...lease, ...timing });
        const led = Promise.withResolvers<void>();
        const ended = election.run(stop.signal, async (leading) => {
          led.resolve();
          await new Promise<void>((resolve) => leading.addEventListener('abort', () => resolve()));
        });
        return { election, stop, led: led.promise, ended };
      });
      let remaining = [...candidates];
      while (remaining.length > 0) {
        const leader = await Promise.race(remaining.map((c) => c.led.then(() => c)));
        assert.deepEqual(
          candidates.filter((c) => c.election.isLeader()),
          [leader],
        );
        leader.stop.abort();
        await leader.ended;
        remaining = remaining.filter((c) => c !== leader);
      }
      const lease = await createLeaseStore(client, { namespace, name: 'election' }).get({});
      assert.deepEqual([lease?.holder, lease?.transitions], ['', 2]);
    });

    test('records events that are counted, not repeated', async () => {
      const made = await gadget.create(make('told'));
      const recorder = createEventRecorder({ client, component: 'contract', instance: 'one', ...timing });
      const draft = { type: 'Warning' as const, reason: 'Contract', message: 'it happened' };
      recorder.record(made, draft);
      await recorder.flush();
      for (let i = 0; i < 4; i++) recorder.record(made, draft);
      await recorder.flush();
      const fieldSelector = 'involvedObject.name=told,reason=Contract,type=Warning';
      const { items } = await client.resource<AnyKubeObject>(eventsRef).list({ namespace, fieldSelector });
      assert.deepEqual(
        items.map((event) => event.count),
        [5],
      );
    });

    test('a controller brings the status to what decide says, and then rests', async () => {
      const informer = createInformer<Gadget>({
        client,
        resource: gadgets,
        namespace,
        labelSelector: 'controlled=yes',
        ...timing,
      });
      const acted: string[] = [];
      type Act = { kind: 'act'; key: string; size: number };
      const controller = defineController<Gadget, Act, NonNullable<Gadget['status']>>(
        {
          name: 'contract',
          watches: [watchInformer(informer)],
          read: (key) => informer.get(key),
          decide: (seen) => {
            const size = seen.spec?.size ?? 0;
            const phase = `Size${size}`;
            const isDone = seen.status?.phase === phase;
            return {
              effects: isDone ? [] : [{ kind: 'act', key: `${seen.metadata?.uid}/${size}`, size }],
              status: { phase },
              wake: { on: 'change' },
              why: [{ code: isDone ? 'Done' : 'Sizing', message: `the size is ${size}` }],
            };
          },
          effects: {
            act: async (effect) => {
              acted.push(effect.key);
              return ok();
            },
          },
          statusOf: (seen) => seen.status,
          writeStatus: (seen, status) => replaceStatus(gadget, seen, status),
        },
        timing,
      );
      informer.start();
      await informer.whenSynced();
      controller.start();
      await gadget.create({ ...make('ctl', { size: 1 }), metadata: { ...at('ctl'), labels: { controlled: 'yes' } } });
      await until(informer, () => informer.get(`${namespace}/ctl`)?.status?.phase === 'Size1');
      await gadget.patch(at('ctl'), { type: 'merge', body: { spec: { size: 2 } } });
      await until(informer, () => informer.get(`${namespace}/ctl`)?.status?.phase === 'Size2');
      await controller.stop();
      await informer.stop();
      assert.deepEqual(new Set(acted.map((key) => key.split('/')[1])), new Set(['1', '2']));
    });

    test('asks our admission server, trusts its rotated authority, and converts by it', async () => {
      const now = new Date();
      const rules = [
        defineAdmissionRule({
          name: `size.${group}`,
          type: 'validating',
          matches: [{ groups: [group], versions: ['*'], resources: ['gadgets'], operations: ['CREATE', 'UPDATE'] }],
          read: () => undefined,
          admit: ({ object, namespace: where }) => {
            if (where !== namespace) return allowed();
            const size = (object as Gadget).spec?.size ?? 0;
            return size > 100 ? denied({ field: 'spec.size', message: 'must be at most 100' }) : allowed();
          },
        }),
        defineAdmissionRule({
          name: `paint.${group}`,
          type: 'mutating',
          matches: [{ groups: [group], versions: ['*'], resources: ['gadgets'], operations: ['CREATE'] }],
          read: () => undefined,
          admit: ({ object }) => {
            const before = (object ?? {}) as Gadget;
            const isAsked = before.metadata?.labels?.paint === 'me';
            return isAsked
              ? patched(before, { ...before, spec: { ...before.spec, colour: 'painted' } }, 'wet paint')
              : allowed();
          },
        }),
      ];
      const first = await createCertificateAuthority({ commonName: 'first', now });
      const certificate = await issueServerCertificate(first, { ips: ['127.0.0.1'], now });
      const conversions = [
        {
          group,
          kind: 'Gadget',
          convert: (object: AnyKubeObject, wanted: string) => ({
            ...object,
            spec: { ...(object as Gadget).spec, convertedTo: wanted },
          }),
        },
      ];
      const server = await startAdmissionServer({ rules, conversions, certificate, host: '127.0.0.1', port: 0 });
      const publication = {
        name: `contract-${namespace}`,
        rules,
        convertedDefinitions: [`gadgets.${group}`],
        target: { url: `https://127.0.0.1:${server.port}` },
      };
      try {
        const rotating = createRotatingCertificates({
          store: createMemoryAuthorityStore(),
          publish: createWebhookPublisher(client, publication, { fieldManager: 'contract' }),
          serve: server.setCertificate,
          names: { ips: ['127.0.0.1'] },
          policy: {
            authorityMs: 3_600_000,
            rotateBeforeMs: 3_500_000,
            settleMs: 0,
            retireMs: 3_600_000,
            servingMs: 3_600_000,
          },
          ...timing,
        });
        await rotating.tick();
        // The server learns of the webhook a moment after it was written.
        await eventually(async () => {
          await assert.rejects(gadget.create(make('big', { size: 101 }), { isDryRun: true }), (error) => {
            return isForbidden(error) && /denied the request: spec.size: must be at most 100/.test(error.message);
          });
        });
        const painted = await eventually(async () => {
          const object = { ...make('paint'), metadata: { ...at('paint'), labels: { paint: 'me' } } };
          const made = await gadget.create(object, { isDryRun: true });
          assert.equal(made.spec?.colour, 'painted');
          return made;
        });
        assert.equal(painted.spec?.colour, 'painted');
        await gadget.create(make('small', { size: 1 }));
        const v2 = client.resource<AnyKubeObject>({ ...gadgets, version: 'v2' });
        await eventually(async () => {
          assert.equal(((await v2.get(at('small'))).spec as { convertedTo?: string }).convertedTo, 'v2');
        });
      } finally {
        await removeWebhookConfigurations(client, publication.name);
        const operations = [{ op: 'replace' as const, path: '/spec/conversion', value: { strategy: 'None' } }];
        const crd: ResourceRef = {
          group: 'apiextensions.k8s.io',
          version: 'v1',
          resource: 'customresourcedefinitions',
          namespaced: false,
        };
        await client.resource(crd).patch({ name: `gadgets.${group}` }, { type: 'json', operations });
        await server.close();
      }
    });
  });
}
