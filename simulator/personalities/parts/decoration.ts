import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, JsonValue } from '../../redfish/route.ts';
import type { ResourceKind } from '../personality.ts';

/** What a vendor does to the bodies of each kind of resource. */
export type Decorations = Partial<Record<ResourceKind, (body: JsonObject, machine: Machine) => JsonObject>>;

/** A `decorate` that looks its work up in a table. */
export function decorateBy(table: Decorations): (kind: ResourceKind, body: JsonObject, machine: Machine) => JsonObject {
  return (kind, body, machine) => table[kind]?.(body, machine) ?? body;
}

/** The body with members under `Oem`, beside those that are there. */
export function withOem(body: JsonObject, vendor: string, members: JsonObject): JsonObject {
  const oem = objectIn(body.Oem);
  return { ...body, Oem: { ...oem, [vendor]: { ...objectIn(oem[vendor]), ...members } } };
}

/** The body with another member among its Actions. */
export function withAction(body: JsonObject, action: string, members: JsonObject): JsonObject {
  return { ...body, Actions: { ...objectIn(body.Actions), [action]: members } };
}

/** The body with another OEM member among its Actions. */
export function withOemAction(body: JsonObject, action: string, members: JsonObject): JsonObject {
  const actions = objectIn(body.Actions);
  return { ...body, Actions: { ...actions, Oem: { ...objectIn(actions.Oem), [action]: members } } };
}

/** The body without some members. */
export function without(body: JsonObject, ...members: readonly string[]): JsonObject {
  return { ...body, ...Object.fromEntries(members.map((member) => [member, undefined])) };
}

/** A JSON object, or an empty one in place of anything else. */
export function objectIn(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The texts of a list; none where there is no list. */
export function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
