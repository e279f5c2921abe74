/** Compares two values as their JSON would compare, whatever the order of fields: those that are undefined are not there. */
export function isSameJson(left: unknown, right: unknown): boolean {
  return left === right || isSamePlain(plain(left), plain(right));
}

function isSamePlain(left: unknown, right: unknown): boolean {
  if (!isRecord(left) || !isRecord(right)) return left === right;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((each, index) => isSameJson(each ?? null, right[index] ?? null));
  }
  for (const name in left) if (!isSameJson(left[name], right[name])) return false;
  for (const name in right) if (right[name] !== undefined && left[name] === undefined) return false;
  return true;
}

interface Fields {
  readonly [name: string]: unknown;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** What has a form of its own in JSON, such as a Date, in that form; numbers that JSON does not know are null there. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return isRecord(value) && typeof value.toJSON === 'function' ? (value.toJSON('') as unknown) : value;
}
