import { parseAllDocuments } from 'yaml';
import {
  type AnyKubeObject,
  applyObject,
  createResourceMapper,
  isNotFound,
  type KubeClient,
} from '../../../src/kube/index.ts';
import { until } from '../ironic/until.ts';

/** Writes and reads objects as an administrator does. */
export interface ClusterObjects {
  /** Where objects are that have a namespace. */
  readonly namespace: string;
  /** Applies what a YAML text says, object by object. */
  apply(text: string): Promise<void>;
  /** Waits until an object is as asked, and gives it; `undefined` stands for one that is not there. */
  untilSo(what: ObjectName, isSo: (object: AnyKubeObject | undefined) => boolean): Promise<AnyKubeObject | undefined>;
  /** Deletes objects and waits until they are gone. */
  remove(...all: ObjectName[]): Promise<void>;
  patch(what: ObjectName, body: object): Promise<void>;
  list(kind: string, apiVersion: string, namespace?: string): Promise<readonly AnyKubeObject[]>;
}

/** Which object is meant. */
export type ObjectName = readonly [apiVersion: string, kind: string, name: string];

/** A loaded machine is slow; a test that waits this long has failed. */
const patienceMs = 240_000;

/** On a loaded machine a webhook may not answer in the ten seconds that it has. */
async function patiently<T>(write: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!/failed calling webhook/.test(String(error)) || performance.now() > deadline) throw error;
    }
  }
}

/** Objects of one namespace, where they have one. */
export function clusterObjects(client: KubeClient, namespace: string): ClusterObjects {
  const mapper = createResourceMapper(client);
  const of = async (apiVersion: string, kind: string) =>
    client.resource<AnyKubeObject>(await mapper.byKind(apiVersion, kind));
  const keyOf = async (apiVersion: string, kind: string, name: string) => {
    const { namespaced } = await mapper.byKind(apiVersion, kind);
    return namespaced ? { namespace, name } : { name };
  };
  const find = async ([apiVersion, kind, name]: ObjectName): Promise<AnyKubeObject | undefined> => {
    try {
      return await (await of(apiVersion, kind)).get(await keyOf(apiVersion, kind, name));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const untilSo: ClusterObjects['untilSo'] = async (what, isSo) => {
    let seen: AnyKubeObject | undefined;
    const found = await until({
      what: `${what[1]} ${what[2]}: ${isSo}`,
      timeoutMs: patienceMs,
      async look() {
        seen = await find(what);
        return isSo(seen) ? { seen } : undefined;
      },
      detail: () => JSON.stringify(seen?.status ?? seen),
    });
    return found.seen;
  };
  return {
    namespace,
    untilSo,
    async apply(text) {
      for (const document of parseAllDocuments(text)) {
        const object = document.toJS() as AnyKubeObject;
        await patiently(() =>
          applyObject(client, mapper, object, { fieldManager: 'administrator', isForced: true, namespace }),
        );
      }
    },
    async remove(...all) {
      for (const [apiVersion, kind, name] of all) {
        const [resource, key] = [await of(apiVersion, kind), await keyOf(apiVersion, kind, name)];
        await patiently(() => resource.delete(key));
      }
      for (const each of all) await untilSo(each, (object) => object === undefined);
    },
    async patch([apiVersion, kind, name], body) {
      const [resource, key] = [await of(apiVersion, kind), await keyOf(apiVersion, kind, name)];
      await patiently(() => resource.patch(key, { type: 'merge', body }));
    },
    async list(kind, apiVersion, within) {
      return (await (await of(apiVersion, kind)).list(within === undefined ? {} : { namespace: within })).items;
    },
  };
}
