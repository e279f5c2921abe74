/** A value of OVSDB as it is on the wire: an atom, `["set", [...]]`, `["map", [[k, v], ...]]` or `["uuid", "..."]`. */
export type OvsdbValue = unknown;

/** A row as it is on the wire. */
export type OvsdbRow = Readonly<Record<string, OvsdbValue>>;

/** The members of a set; one member alone is written without the word. */
export function setOf(value: OvsdbValue): readonly unknown[] {
  if (Array.isArray(value) && value[0] === 'set' && Array.isArray(value[1])) return value[1];
  return value === undefined ? [] : [value];
}

/** The member of a set that has one at most. */
export function optionalOf(value: OvsdbValue): unknown {
  return setOf(value)[0];
}

/** A map from text to text. */
export function mapOf(value: OvsdbValue): ReadonlyMap<string, string> {
  if (!Array.isArray(value) || value[0] !== 'map' || !Array.isArray(value[1])) return new Map();
  return new Map(
    value[1].map((pair: unknown) => (Array.isArray(pair) ? [String(pair[0]), String(pair[1])] : ['', ''])),
  );
}

/** The id in `["uuid", "..."]`. */
export function uuidOf(value: OvsdbValue): string | undefined {
  return Array.isArray(value) && value[0] === 'uuid' ? String(value[1]) : undefined;
}

/** A number, or undefined. */
export function numberOf(value: OvsdbValue): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A text, or undefined. */
export function textOf(value: OvsdbValue): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Writes a set. */
export function toSet(members: readonly unknown[]): OvsdbValue {
  return ['set', members];
}

/** Writes a reference. */
export function toUuid(id: string): OvsdbValue {
  return ['uuid', id];
}
