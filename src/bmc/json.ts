/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object as a BMC sent it: nothing in it can be relied on before it was read with a check. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}
