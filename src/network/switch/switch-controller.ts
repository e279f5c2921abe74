import {
  metal3ApiVersion,
  type ProviderSwitchKind,
  type Switch,
  type SwitchPort,
  type SwitchStatus,
} from '../../api/index.ts';
import {
  type AnyKubeObject,
  addFinalizer,
  type Controller,
  type ControllerOptions,
  defineController,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  ok,
  patchStatus,
  type Result,
  removeFinalizer,
  type Watch,
} from '../../kube/index.ts';
import type { SwitchBook } from '../devices/switch-book.ts';
import { fullReference, nameOf, namespaceOf, objectKey } from '../fabric/references.ts';
import type { ProviderSwitch } from '../fabric/tables.ts';
import { networkFieldManager, networkFinalizer, providerResources, resources } from '../resources.ts';
import { decideSwitch, type SwitchEffect } from './decide-switch.ts';
import { isOwnedBy, readSwitchSeen, type SwitchReader, type SwitchSeen } from './switch-seen.ts';
import { switchTable } from './switch-table.ts';
import { verifySwitch } from './verify-switch.ts';

/** What the switch controller works with. */
export interface SwitchControllerParts {
  readonly client: KubeClient;
  readonly reader: SwitchReader;
  readonly book: SwitchBook;
  readonly watches: readonly Watch[];
}

/** Keeps an eye on switches and makes the SwitchPorts that they list. */
export function createSwitchController(
  parts: SwitchControllerParts,
  options: ControllerOptions,
): Controller<SwitchEffect, SwitchStatus> {
  const { client, reader, book } = parts;
  const switches = client.resource<Switch & KubeObject>(resources.switches);
  const ports = client.resource<SwitchPort & KubeObject>(resources.ports);
  const providersOf = (kind: ProviderSwitchKind) =>
    client.resource<ProviderSwitch & KubeObject>(providerResources[kind]);
  const retry = { clock: options.clock, random: options.random, fieldManager: networkFieldManager };
  return defineController<SwitchSeen, SwitchEffect, SwitchStatus>(
    {
      name: 'switch',
      table: switchTable,
      watches: parts.watches,
      read: async (key) => {
        const seen = readSwitchSeen(reader, key);
        if (seen === undefined) await book.forget(key);
        return seen;
      },
      decide: decideSwitch,
      statusOf: ({ object }) => object.status,
      writeStatus: ({ object }, status, { signal }) =>
        patchStatus(switches, object, status, { fieldManager: networkFieldManager, signal }),
      subjectOf: ({ object }) => ({ ...object, apiVersion: metal3ApiVersion, kind: 'Switch' }),
      effects: {
        'add-finalizer': async (_, { seen, signal }) =>
          ok(await addFinalizer(switches, seen.object, networkFinalizer, { ...retry, signal })),
        'remove-finalizer': async (_, { seen, key, signal }) => {
          await book.forget(key);
          return ok(await removeFinalizer(switches, seen.object, networkFinalizer, { ...retry, signal }));
        },
        'adopt-provider': async (_, { seen, signal }) => {
          const { provider, object } = seen;
          if (provider === undefined) return ok();
          const kind = providersOf(object.spec.provider.kind);
          const held = await addFinalizer(kind, provider, networkFinalizer, { ...retry, signal });
          if (namespaceOf(provider) !== namespaceOf(object) || isOwnedBy(held, object)) return ok();
          return gently(() => kind.patch(keyOf(held), { type: 'merge', body: ownedBy(object, held) }, { signal }));
        },
        'release-provider': async ({ which }, { seen, signal }) => {
          const { object } = seen;
          const used = which === 'present' ? object.spec.provider : object.status?.provider;
          if (used === undefined) return ok();
          const kind = providersOf(used.kind);
          return gently(async () => {
            const provider = await kind.get(fullReference(used, namespaceOf(object)), { signal });
            const isOthers = namespaceOf(provider) === namespaceOf(object) && !isOwnedBy(provider, object);
            if (!isOthers) await removeFinalizer(kind, provider, networkFinalizer, { ...retry, signal });
          });
        },
        verify: (_, { seen, signal }) => verifySwitch({ client, book, signal }, seen),
        'create-port': ({ name }, { seen, signal }) =>
          gently(() => ports.create(newPort(seen.object, name), { fieldManager: networkFieldManager, signal })),
        'adopt-port': ({ name }, { seen, signal }) =>
          gently(async () => {
            const port = seen.strangers.find((each) => nameOf(each) === name);
            if (port === undefined) return;
            const body = ownedBy(seen.object, port);
            await ports.patch(keyOf(port), { type: 'merge', body }, { fieldManager: networkFieldManager, signal });
          }),
        'delete-port': ({ name }, { seen, signal }) =>
          gently(() => ports.delete({ name, namespace: namespaceOf(seen.object) }, { signal })),
        'tell-provider': ({ status }, { seen, signal }) =>
          gently(async () => {
            const { provider, object } = seen;
            if (provider === undefined) return;
            const kind = providersOf(object.spec.provider.kind);
            const parts = ['observedGeneration', 'lastContactTime', 'conditions'];
            await patchStatus(kind, provider, status, { parts, fieldManager: networkFieldManager, signal });
          }),
      },
    },
    options,
  );
}

/** Somebody else was first, or it is gone: the change that tells so wakes the controller. */
async function gently(write: () => Promise<unknown>): Promise<Result> {
  try {
    await write();
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
  }
  return ok();
}

function ownerReference(object: Switch) {
  const { name = '', uid = '' } = object.metadata;
  return { apiVersion: metal3ApiVersion, kind: 'Switch', name, uid, controller: true, blockOwnerDeletion: true };
}

/** Of exactly the version that was seen, so that nobody else's owner is lost. */
function ownedBy(object: Switch, { metadata }: KubeObject): AnyKubeObject {
  const ownerReferences = [...(metadata?.ownerReferences ?? []), ownerReference(object)];
  const { resourceVersion, uid } = metadata ?? {};
  return { metadata: { resourceVersion, uid, ownerReferences } } as AnyKubeObject;
}

function newPort(object: Switch, name: string): SwitchPort & KubeObject {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'SwitchPort',
    metadata: { name, namespace: namespaceOf(object), ownerReferences: [ownerReference(object)] },
    spec: {},
  };
}

/** The key that the book knows a switch by. */
export function bookKey(object: Switch | undefined): string {
  return object === undefined ? '' : objectKey(object);
}
