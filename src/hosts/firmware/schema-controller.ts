import type { FirmwareSchema } from '../../api/index.ts';
import {
  type Controller,
  type Decision,
  defineController,
  type Effect,
  type Instant,
  isNotFound,
  type KubeObject,
  keyOf,
  ok,
  watchInformer,
} from '../../kube/index.ts';
import { resources } from '../resources.ts';
import type { CompanionParts } from './companion-parts.ts';

/** All that a decision about a schema is made from. */
export interface SchemaSeen {
  readonly schema: FirmwareSchema;
  /** How many HostFirmwareSettings refer to it. */
  readonly users: number;
  /** Since when none has, as far as this process knows. */
  readonly unusedSince: Instant;
  readonly keepMs: number;
}

/** What can be done about a schema. */
export type SchemaEffect = Effect & { readonly kind: 'delete-schema' };

/** Lets a schema go that nothing refers to any more; not at once, as the next host of its model would make it again. Pure. */
export function decideSchema(seen: SchemaSeen, now: Instant): Decision<SchemaEffect, never> {
  const nothing = { status: undefined, effects: [] };
  if (seen.schema.metadata.deletionTimestamp !== undefined) return { ...nothing, wake: { on: 'change' }, why: [] };
  if (seen.users > 0) {
    return { ...nothing, wake: { on: 'change' }, why: [{ code: 'Used', message: `${seen.users} hosts refer to it` }] };
  }
  const leftMs = seen.unusedSince + seen.keepMs - now;
  const why = [{ code: 'Unused', message: 'no host refers to it', since: seen.unusedSince }];
  if (leftMs > 0) return { ...nothing, wake: { after: leftMs }, why };
  return { ...nothing, effects: [{ kind: 'delete-schema', key: 'delete-schema' }], wake: { on: 'change' }, why };
}

/** Collects schemas that nothing refers to: they have no owners, since hosts that share an object must not all write to it. */
export function createSchemaController({
  client,
  informers,
  settings,
  shell,
}: CompanionParts): Controller<SchemaEffect, never> {
  const schemas = client.resource<FirmwareSchema & KubeObject>(resources.firmwareSchemas);
  const unused = new Map<string, Instant>();
  const usersOf = (key: string): number => informers.firmwareSettings.byIndex('schema', key).length;
  return defineController<SchemaSeen, SchemaEffect, never>(
    {
      name: 'firmware-schemas',
      watches: [
        watchInformer(informers.firmwareSchemas),
        watchInformer(informers.firmwareSettings, (_, { previous, current }) => {
          const [before, after] = [previous, current].map((object) => object?.status?.schema);
          if (before === undefined || before.name === after?.name) return [];
          return [`${before.namespace}/${before.name}`];
        }),
      ],
      read(key) {
        const schema = informers.firmwareSchemas.get(key);
        const users = schema === undefined ? 0 : usersOf(key);
        if (schema === undefined || users > 0) unused.delete(key);
        else if (!unused.has(key)) unused.set(key, shell.clock.now());
        if (schema === undefined) return undefined;
        return { schema, users, unusedSince: unused.get(key) ?? 0, keepMs: settings.schemaKeepMs };
      },
      decide: decideSchema,
      statusOf: () => undefined,
      writeStatus: async () => {},
      effects: {
        'delete-schema': async (_, { seen: { schema }, key, signal }) => {
          // Somebody may have begun to refer to it just now.
          if (usersOf(key) > 0) return ok();
          const { uid, resourceVersion } = schema.metadata;
          const preconditions = {
            ...(uid === undefined ? {} : { uid }),
            ...(resourceVersion === undefined ? {} : { resourceVersion }),
          };
          try {
            await schemas.delete(keyOf(schema), { preconditions, signal });
          } catch (error) {
            if (!isNotFound(error)) throw error;
          }
          return ok();
        },
      },
    },
    shell,
  );
}
