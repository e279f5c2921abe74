import { isSameJson } from '../../kube/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The merge patch that makes one value of another; lists are replaced as a whole, what is gone is named. */
export function mergePatchOf(before: unknown, after: unknown): Record<string, unknown> {
  const [from, to] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old, given] = [from[name], to[name]];
    if (isSameJson(old, given)) continue;
    if (given === undefined) patch[name] = null;
    else patch[name] = isRecord(old) && isRecord(given) ? mergePatchOf(old, given) : given;
  }
  return patch;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
