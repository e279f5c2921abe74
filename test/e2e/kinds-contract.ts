import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { allKinds, type Causes, caseVerdict, crdOf, type KindCase, kindCases } from '../../src/api/index.ts';
import {
  type ConnectionSpec,
  createClient,
  type KubeClient,
  KubeError,
  type KubeObject,
  type ResourceClient,
} from '../../src/kube/index.ts';
import type { JsonObject } from '../../src/schema/index.ts';

const crds = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions', namespaced: false };
const namespace = 'kinds-contract';

interface Definition extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] };
}

/** Every kind installs, and its table of good and bad objects gets the verdicts it should, on whatever API this is. */
export function runKindsContract(name: string, connect: () => Promise<ConnectionSpec>): void {
  describe(`our kinds on ${name}`, { timeout: 300_000 }, () => {
    let client: KubeClient;
    before(async () => {
      client = await createClient(await connect(), { fieldManager: 'kinds-contract', onWarning: () => undefined });
      const namespaces = client.resource({ group: '', version: 'v1', resource: 'namespaces', namespaced: false });
      await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });
    after(() => client?.close());

    test('every CustomResourceDefinition is accepted and established', async () => {
      const definitions = client.resource<Definition>(crds);
      for (const kind of allKinds) await definitions.create(crdOf(kind) as unknown as Definition);
      for (const kind of allKinds) await untilEstablished(definitions, `${kind.plural}.${kind.group}`);
    });

    for (const kind of allKinds) {
      test(`${kind.kind}.${kind.group} judges its objects as declared`, async () => {
        const wrong: string[] = [];
        for (const one of kindCases.filter((each) => each.kind === kind)) {
          const verdict = caseVerdict(one, await causesOn(client, one));
          if (verdict !== undefined) wrong.push(`${one.version} ${one.title}: ${verdict}`);
        }
        assert.deepEqual(wrong, []);
      });
    }
  });
}

async function untilEstablished(definitions: ResourceClient<Definition>, name: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { status } = await definitions.get({ name });
    if (status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${name} was not established`);
}

/** Plays one case: what must be there first, then the write it is about; afterwards the object goes again. */
async function causesOn(client: KubeClient, one: KindCase): Promise<Causes> {
  const { group, plural, scope } = one.kind;
  const resource = client.resource<KubeObject>({
    group,
    version: one.version,
    resource: plural,
    namespaced: scope === 'Namespaced',
  });
  const place = (object: JsonObject): KubeObject => placed(object, scope === 'Namespaced');
  const object = place(one.object);
  const key = { name: object.metadata?.name ?? '', ...(scope === 'Namespaced' ? { namespace } : {}) };
  try {
    const before = one.old ?? (one.isStatusWrite === true ? withoutStatus(one.object) : undefined);
    if (before === undefined) return await causesOf(resource.create(object));
    const created = await resource.create(place(withoutStatus(before)));
    const live =
      before.status === undefined
        ? created
        : await resource.status.replace({ ...created, status: before.status } as KubeObject);
    const next = { ...object, metadata: { ...object.metadata, resourceVersion: live.metadata?.resourceVersion ?? '' } };
    return await causesOf(one.isStatusWrite === true ? resource.status.replace(next) : resource.replace(next));
  } finally {
    await resource.delete(key).catch((error: unknown) => {
      if (!(error instanceof KubeError) || error.status.code !== 404) throw error;
    });
  }
}

function placed(object: JsonObject, isNamespaced: boolean): KubeObject {
  const copy = structuredClone(object) as unknown as KubeObject;
  if (isNamespaced) copy.metadata = { ...copy.metadata, namespace };
  return copy;
}

function withoutStatus(object: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  return rest;
}

async function causesOf(write: Promise<unknown>): Promise<Causes> {
  try {
    await write;
    return [];
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return error.status.details?.causes ?? [{ field: '', reason: error.status.reason ?? '', message: error.message }];
  }
}
