import { setTimeout as delay } from 'node:timers/promises';
import {
  type AnyKubeObject,
  applyObject,
  createResourceMapper,
  isNotFound,
  type KubeClient,
  type ResourceClient,
} from '../../../src/kube/index.ts';

/** Which object. */
export interface ObjectAddress {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Reads and writes objects of any kind, and waits for what controllers make of them. */
export interface Objects {
  apply(...objects: readonly AnyKubeObject[]): Promise<void>;
  merge(address: ObjectAddress, change: object): Promise<void>;
  mergeStatus(address: ObjectAddress, status: object): Promise<void>;
  list(apiVersion: string, kind: string, namespace: string): Promise<AnyKubeObject[]>;
  /** Waits until the object is there and as told; says how it last was when that takes too long. */
  until(address: ObjectAddress, isSo: (object: AnyKubeObject) => boolean): Promise<AnyKubeObject>;
  delete(...addresses: readonly ObjectAddress[]): Promise<void>;
  untilGone(...addresses: readonly ObjectAddress[]): Promise<void>;
}

const patienceMs = 300_000;
const pollMs = 200;

/** Objects of the server of a client. */
export function openObjects(client: KubeClient): Objects {
  const mapper = createResourceMapper(client);
  const resourceFor = async (apiVersion: string, kind: string): Promise<ResourceClient<AnyKubeObject>> =>
    client.resource(await mapper.byKind(apiVersion, kind));
  const read = async ({ apiVersion, kind, ...key }: ObjectAddress): Promise<AnyKubeObject | undefined> => {
    try {
      return await (await resourceFor(apiVersion, kind)).get(key);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const poll = async (address: ObjectAddress, isSo: (object: AnyKubeObject | undefined) => boolean) => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const object = await read(address);
      if (isSo(object)) return object;
      if (performance.now() > deadline) {
        throw new Error(`${address.kind} ${address.name} is not as expected: ${JSON.stringify(object)}`);
      }
      await delay(pollMs);
    }
  };
  return {
    async apply(...objects) {
      for (const each of objects) await applyObject(client, mapper, each, { fieldManager: 'test', isForced: true });
    },
    async merge({ apiVersion, kind, ...key }, body) {
      await (await resourceFor(apiVersion, kind)).patch(key, { type: 'merge', body });
    },
    async mergeStatus({ apiVersion, kind, ...key }, status) {
      await (await resourceFor(apiVersion, kind)).status.patch(key, { type: 'merge', body: { status } });
    },
    list: async (apiVersion, kind, namespace) =>
      (await (await resourceFor(apiVersion, kind)).list({ namespace })).items,
    async until(address, isSo) {
      const object = await poll(address, (found) => found !== undefined && isSo(found));
      return object as AnyKubeObject;
    },
    async delete(...addresses) {
      for (const { apiVersion, kind, ...key } of addresses) await (await resourceFor(apiVersion, kind)).delete(key);
    },
    async untilGone(...addresses) {
      for (const each of addresses) await poll(each, (found) => found === undefined);
    },
  };
}

/** What an object has at a path such as `status.state`. */
export function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], object);
}

/** Whether an object says that a condition is true, of what it is now. */
export function hasCondition(object: AnyKubeObject, type: string): boolean {
  const conditions = valueAt(object, 'status.conditions') as
    | { type: string; status: string; observedGeneration?: number }[]
    | undefined;
  const generation = object.metadata?.generation;
  return (
    conditions?.some(
      (each) =>
        each.type === type &&
        each.status === 'True' &&
        (each.observedGeneration === undefined || each.observedGeneration === generation),
    ) ?? false
  );
}

/** A namespace to apply. */
export function namespace(name: string, labels: Record<string, string> = {}): AnyKubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}
