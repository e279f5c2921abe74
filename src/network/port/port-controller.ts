import { metal3ApiVersion, type SwitchPort, type SwitchPortStatus } from '../../api/index.ts';
import {
  addFinalizer,
  type Controller,
  type ControllerOptions,
  defineController,
  type EffectContext,
  type KubeClient,
  type KubeObject,
  ok,
  patchStatus,
  type Result,
  removeFinalizer,
  type Watch,
} from '../../kube/index.ts';
import type { PortCall } from '../devices/lane.ts';
import type { PortBook } from '../devices/port-book.ts';
import { objectKey } from '../fabric/references.ts';
import { networkFieldManager, networkFinalizer, resources } from '../resources.ts';
import { decidePort, type PortEffect } from './decide-port.ts';
import type { PortSeen } from './port-seen.ts';
import { portTable } from './port-table.ts';
import { type PortReader, readPortSeen } from './read-port.ts';

/** What the port controller works with. */
export interface PortControllerParts {
  readonly client: KubeClient;
  readonly reader: PortReader;
  readonly book: PortBook;
  readonly watches: readonly Watch[];
}

/** Sets ports of switches to the configurations that are linked to them, and cleans them when none is. */
export function createPortController(
  parts: PortControllerParts,
  options: ControllerOptions,
): Controller<PortEffect, SwitchPortStatus> {
  const { client, reader, book } = parts;
  const ports = client.resource<SwitchPort & KubeObject>(resources.ports);
  const { clock, random } = options;
  const begin = (
    { goal }: { readonly goal: string },
    { seen, key }: EffectContext<PortSeen>,
    call: PortCall,
  ): Promise<Result<unknown>> => {
    if (seen.owner !== undefined) book.begin({ port: key, owner: objectKey(seen.owner), call, goal });
    return Promise.resolve(ok());
  };
  return defineController<PortSeen, PortEffect, SwitchPortStatus>(
    {
      name: 'switch-port',
      table: portTable,
      watches: parts.watches,
      read: (key) => {
        const seen = readPortSeen(reader, key);
        if (seen === undefined) book.forget(key);
        return seen;
      },
      decide: decidePort,
      statusOf: ({ port }) => port.status,
      writeStatus: ({ port }, status, { signal }) =>
        patchStatus(ports, port, status, { fieldManager: networkFieldManager, signal }),
      subjectOf: ({ port }) => ({ ...port, apiVersion: metal3ApiVersion, kind: 'SwitchPort' }),
      effects: {
        'add-finalizer': async (_, { seen, signal }) =>
          ok(await addFinalizer(ports, seen.port, networkFinalizer, { clock, random, signal })),
        'remove-finalizer': async (_, { seen, signal }) =>
          ok(await removeFinalizer(ports, seen.port, networkFinalizer, { clock, random, signal })),
        resolve: async (_, { key }) => ok(book.resolve(key)),
        read: (effect, context) => begin(effect, context, { kind: 'read', port: effect.socket }),
        clear: (effect, context) =>
          begin(effect, context, { kind: 'clear', port: effect.socket, parkingVlan: effect.parkingVlan }),
        apply: (effect, context) =>
          begin(effect, context, { kind: 'apply', port: effect.socket, wanted: effect.wanted }),
      },
    },
    options,
  );
}
