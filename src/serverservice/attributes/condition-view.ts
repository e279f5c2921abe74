import type { JsonObject } from '../../engine/index.ts';

/** Attributes in namespaces that begin so show conditions; they are read here and changed elsewhere. */
export const conditionNamespace = 'rackwright.io.condition.';

/** A condition as an attribute shows it. */
export interface ConditionAttribute {
  readonly kind: string;
  /** Everything that people see of it: state, parameters, status, controller, lock, ... */
  readonly data: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Where the conditions of a server are read: of each kind the newest. */
export interface ConditionView {
  list(serverId: string): Promise<readonly ConditionAttribute[]>;
}

/** True for a namespace that conditions are shown in. */
export function isConditionNamespace(namespace: string): boolean {
  return namespace.toLowerCase().startsWith(conditionNamespace);
}
