import type { ResourceKind } from '../../personalities/personality.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest } from '../route.ts';

/** What every resource begins with. */
export interface ResourceHead {
  readonly path: string;
  /** Schema and version: `Bios.v1_1_0`. */
  readonly schema: string;
  readonly id: string;
  readonly name: string;
}

/** A reference to a resource. */
export function link(path: string): { '@odata.id': string } {
  return { '@odata.id': path };
}

/** A list of references with its count, under a member's name. */
export function linkList(member: string, paths: readonly string[]): JsonObject {
  return { [member]: paths.map(link), [`${member}@odata.count`]: paths.length };
}

/** The first members of a resource; its type is named after its schema. */
export function head(order: ResourceHead): JsonObject {
  const dot = order.schema.indexOf('.');
  return {
    '@odata.id': order.path,
    '@odata.type': `#${order.schema}.${order.schema.slice(0, dot)}`,
    Id: order.id,
    Name: order.name,
  };
}

/** A collection of resources. */
export function collection(
  order: { readonly path: string; readonly of: string },
  members: readonly string[],
): RedfishAnswer {
  return {
    status: 200,
    body: {
      '@odata.id': order.path,
      '@odata.type': `#${order.of}Collection.${order.of}Collection`,
      Name: `${order.of} Collection`,
      Members: members.map(link),
      'Members@odata.count': members.length,
    },
  };
}

/** The answer to a GET, with what the vendor adds to a resource of this kind. */
export function show(request: RedfishRequest, kind: ResourceKind, body: JsonObject): RedfishAnswer {
  return { status: 200, body: request.machine.personality.decorate(kind, body, request.machine) };
}

/** The Status of a part that works. */
export function healthy(): JsonObject {
  return { State: 'Enabled', Health: 'OK' };
}

/** The Status of a part whose children are well too. */
export function healthyRollup(): JsonObject {
  return { State: 'Enabled', Health: 'OK', HealthRollup: 'OK' };
}

/** A place's name as a part of a path: slots may have spaces in them. */
export function toId(slot: string): string {
  return slot.replaceAll(/[^\w.:()~-]+/g, '_');
}

/** A moment in Redfish's form, `2024-05-01T12:00:00+02:00`, in the given offset from UTC. */
export function toDateTime(epochMs: number, offset = '+00:00'): string {
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4, 6))];
  const offsetMs = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return `${new Date(epochMs + offsetMs).toISOString().slice(0, 19)}${offset}`;
}

/** The object under a member, or an empty one. */
export function objectAt(body: JsonObject, member: string): JsonObject {
  const value = body[member];
  return isObject(value) ? value : {};
}

/** True for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
