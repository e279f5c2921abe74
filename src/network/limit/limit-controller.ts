import { metal3ApiVersion, type SwitchResourceLimit, type SwitchResourceLimitStatus } from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  type KubeClient,
  type KubeObject,
  patchStatus,
  type Watch,
} from '../../kube/index.ts';
import { namespaceOf } from '../fabric/references.ts';
import type { NetworkTables } from '../fabric/tables.ts';
import { ownerOf } from '../port/read-port.ts';
import { networkFieldManager, resources } from '../resources.ts';
import { decideLimit, type LimitSeen } from './decide-limit.ts';

/** What the limit controller works with. */
export interface LimitControllerParts {
  readonly client: KubeClient;
  readonly tables: NetworkTables;
  readonly watches: readonly Watch[];
}

/** Keeps count of the VLANs that tenants use. */
export function createLimitController(
  { client, tables, watches }: LimitControllerParts,
  options: ControllerOptions,
): Controller<never, SwitchResourceLimitStatus> {
  const limits = client.resource<SwitchResourceLimit & KubeObject>(resources.limits);
  return defineController<LimitSeen, never, SwitchResourceLimitStatus>(
    {
      name: 'switch-resource-limit',
      watches,
      read: (key) => readLimitSeen(tables, key),
      decide: decideLimit,
      statusOf: ({ limit }) => limit.status,
      writeStatus: ({ limit }, status, { signal }) =>
        patchStatus(limits, limit, status, { fieldManager: networkFieldManager, signal }),
      subjectOf: ({ limit }) => ({ ...limit, apiVersion: metal3ApiVersion, kind: 'SwitchResourceLimit' }),
      effects: {},
    },
    options,
  );
}

/** Puts together what the limit controller looks at; undefined when the limit is gone. */
export function readLimitSeen(tables: NetworkTables, key: string): LimitSeen | undefined {
  const limit = tables.limits.get(key);
  if (limit === undefined) return undefined;
  const ports = tables.ports.byIndex('tenant', namespaceOf(limit));
  return { limit, ports: ports.map((port) => ({ port, owner: ownerOf(tables, port) })) };
}
