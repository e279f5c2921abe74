import {
  type Controller,
  type ControllerOptions,
  createInformer,
  defineController,
  type Informer,
  type KubeClient,
  ok,
  type ResourceRef,
  type Watch,
  watchInformer,
} from '../../kube/index.ts';
import type { NetworkInformerOptions, NetworkInformers } from '../fabric/informers.ts';
import type { PluggedHost } from '../fabric/tables.ts';
import { networkFieldManager } from '../resources.ts';
import {
  isSameRole,
  type Role,
  readTenantRoleKey,
  tenantLabel,
  tenantRoleKeys,
  tenantRoleName,
  tenantRules,
} from './tenant-roles.ts';

const roleResource: ResourceRef = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles', namespaced: true, kind: 'Role' },
};

/** The Roles of tenants as they are. */
export function createTenantRoleInformer(options: NetworkInformerOptions): Informer<Role> {
  const { client, clock, random, resyncMs, namespace, logger, metrics } = options;
  return createInformer<Role>({
    ...{ client, clock, random, resyncMs, namespace, resource: roleResource, labelSelector: tenantLabel },
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
  });
}

/** What the controller of Roles works with. */
export interface TenantRoleParts {
  readonly client: KubeClient;
  readonly tables: Pick<NetworkInformers, 'hosts'>;
  readonly roles: Informer<Role>;
}

interface TenantRoleSeen {
  readonly namespace: string;
  readonly tenant: string;
  readonly role: Role | undefined;
  readonly rules: readonly object[];
}

interface PutRole {
  readonly kind: 'put-role';
  readonly key: string;
}

/** Keeps a Role for each tenant where the ports of its hosts are, so that nobody reads or changes the ports of others. */
export function createTenantRoleController(
  { client, tables, roles }: TenantRoleParts,
  options: ControllerOptions,
): Controller<PutRole, never> {
  const watches: Watch[] = [
    watchInformer(roles),
    watchInformer(tables.hosts, (_, { previous, current }) => [
      ...new Set([previous, current].flatMap((host) => (host === undefined ? [] : keysAround(tables, host)))),
    ]),
  ];
  return defineController<TenantRoleSeen, PutRole, never>(
    {
      name: 'switch-tenant-role',
      watches,
      read(key) {
        const found = readTenantRoleKey(key);
        if (found === undefined) return undefined;
        return { ...found, role: roles.get(key), rules: tenantRules(tables, found) };
      },
      decide: ({ role, rules, namespace, tenant }) => ({
        effects: isSameRole(role, rules) ? [] : [{ kind: 'put-role', key: `put-role/${namespace}/${tenant}` }],
        status: undefined,
        wake: { on: 'change' },
        why: [],
      }),
      statusOf: () => undefined,
      writeStatus: async () => undefined as never,
      subjectOf: ({ namespace, tenant }) => ({
        ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' },
        metadata: { namespace, name: tenantRoleName(tenant) },
      }),
      effects: {
        'put-role': async (_, { seen: { namespace, tenant, rules }, signal }) => {
          const metadata = { namespace, name: tenantRoleName(tenant), labels: { [tenantLabel]: tenant } };
          const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules };
          const wanted = { fieldManager: networkFieldManager, isForced: true, signal };
          return ok(await client.resource<Role>(roleResource).apply(role, wanted));
        },
      },
    },
    options,
  );
}

/** A host that comes or goes also changes whose port it is for others that name it. */
function keysAround({ hosts }: TenantRoleParts['tables'], host: PluggedHost): string[] {
  const namespace = host.metadata.namespace ?? '';
  const others = (host.spec.ports ?? []).flatMap(({ port }) =>
    hosts.byIndex('port', `${port.namespace ?? namespace}/${port.name}`),
  );
  return [host, ...others].flatMap(tenantRoleKeys);
}
