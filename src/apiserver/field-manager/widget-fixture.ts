import type { Json, JsonObject, JsonSchema } from '../../schema/index.ts';
import { asKubeObject, type KubeObject, type ManagedFieldsEntry } from '../object.ts';
import { createFieldManager, type FieldManager } from './field-manager.ts';

const text: JsonSchema = { type: 'string' };

/** A schema with one field of every kind of list, map and scalar; for tests only. */
export const widgetSchema: JsonSchema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      properties: {
        color: text,
        size: { type: 'integer' },
        isBig: { type: 'boolean' },
        nested: { type: 'object', properties: { a: text, deep: { type: 'object', properties: { x: text, y: text } } } },
        labels: { type: 'object', additionalProperties: text },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        list: { type: 'array', items: text },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: text, value: text, note: text } },
        },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, note: text },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        either: { 'x-kubernetes-int-or-string': true },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: text,
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: { type: 'object', properties: { type: text, status: text } },
        },
      },
    },
  },
};

/** The field manager of example.com/v1 Widget. */
export function widgetFieldManager(): FieldManager {
  return createFieldManager({
    schema: widgetSchema,
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    hasStatusSubresource: true,
  });
}

/** A widget with this spec and, if given, more metadata and a status. */
export function widget(spec: Json, extra: { metadata?: JsonObject; status?: Json } = {}): JsonObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default', ...extra.metadata },
    spec,
    ...(extra.status === undefined ? {} : { status: extra.status }),
  };
}

/** A clock that moves a second each time it is read. */
function ticking(): () => Date {
  let seconds = 0;
  return () => new Date(Date.UTC(2024, 0, 1, 0, 0, seconds++));
}

/** One widget as a server would hold it, changed through the field manager step by step. */
export class WidgetUnderTest {
  readonly #fields = widgetFieldManager();
  readonly #now = ticking();
  live: KubeObject | undefined;

  /** Creates it. */
  create(manager: string, object: JsonObject): void {
    this.#store(undefined, object, manager, '');
  }

  /** Replaces it, keeping the managedFields it has unless the object brings its own. */
  update(manager: string, object: JsonObject, subresource = ''): void {
    this.#store(this.live, object, manager, subresource);
  }

  #store(live: KubeObject | undefined, object: JsonObject, manager: string, subresource: string): void {
    const next = asKubeObject(structuredClone(object));
    const sent = next.metadata.managedFields ?? live?.metadata.managedFields;
    next.metadata = { ...next.metadata, uid: 'uid', ...(sent === undefined ? {} : { managedFields: sent }) };
    const entries = this.#fields.update({ live, next, manager, subresource, now: this.#now() });
    next.metadata.managedFields = entries;
    if (entries.length === 0) delete next.metadata.managedFields;
    this.live = next;
  }

  /** Applies server-side. */
  apply(manager: string, patch: JsonObject, options: { force?: boolean; subresource?: string } = {}): KubeObject {
    const { force = false, subresource = '' } = options;
    const merged = this.#fields.apply({ live: this.live, patch, manager, force, subresource, now: this.#now() });
    this.live = { ...merged, metadata: { ...merged.metadata, uid: 'uid' } };
    return this.live;
  }

  /** The entries, without what is the same in all of them. */
  get owners(): Record<string, Json> {
    return Object.fromEntries(
      (this.live?.metadata.managedFields ?? []).map((entry) => [nameOf(entry), entry.fieldsV1 ?? {}]),
    );
  }

  /** The time of one owner's entry. */
  timeOf(owner: string): string | undefined {
    return this.live?.metadata.managedFields?.find((entry) => nameOf(entry) === owner)?.time;
  }
}

function nameOf(entry: ManagedFieldsEntry): string {
  return [entry.manager, entry.operation, entry.subresource].filter((part) => part !== undefined).join(' ');
}
