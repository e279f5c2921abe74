/** A JSON object whose members are not known. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for JSON objects, and not for lists or null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a member; undefined when it is something else. HPE writes `null` as text too. */
export function textIn(record: JsonRecord, name: string): string | undefined {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' && value.trim() !== 'null' ? value.trim() : undefined;
}

/** The texts of a member that is a text or a list of texts. */
export function textsIn(record: JsonRecord, name: string): readonly string[] {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((each) => (typeof each === 'string' && each.trim() !== '' ? [each.trim()] : []));
}

/** The object that a member is; undefined when it is something else. */
export function recordIn(record: JsonRecord, name: string): JsonRecord | undefined {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return isRecord(value) ? value : undefined;
}

/** The objects of a member that is a list. */
export function recordsIn(record: JsonRecord, name: string): readonly JsonRecord[] {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
