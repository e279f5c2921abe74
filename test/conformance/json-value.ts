import type { JsonObject } from '../../src/schema/index.ts';

/** True for a plain JSON object. Kept here so that recording the real server loads none of the code under test. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
