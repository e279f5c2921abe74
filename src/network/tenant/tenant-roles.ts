import { metal3Group } from '../../api/index.ts';
import { formatKey, isSameJson, type KubeObject } from '../../kube/index.ts';
import { claimOf } from '../fabric/claims.ts';
import { fullReference, namespaceOf, objectKey } from '../fabric/references.ts';
import type { NetworkTables, PluggedHost } from '../fabric/tables.ts';

/** A Role as far as it is looked at here. */
export interface Role extends KubeObject {
  readonly rules?: readonly object[] | undefined;
}

/** The label of all Roles that are kept here; its value is the namespace of the tenant. */
export const tenantLabel = 'network.rackwright.io/tenant';

const prefix = 'rackwright-tenant-ports-';

/** The Role of a tenant in a namespace of switches: bind it there, and the tenant has the ports of its own hosts, and no others. */
export function tenantRoleName(tenant: string): string {
  return `${prefix}${tenant}`;
}

/** The Role that is meant by a key; undefined for another Role. */
export function readTenantRoleKey(key: string): { readonly namespace: string; readonly tenant: string } | undefined {
  const [namespace = '', name = ''] = key.split('/');
  return name.startsWith(prefix) ? { namespace, tenant: name.slice(prefix.length) } : undefined;
}

/** The keys of the Roles that a host has a say in: one for each namespace its ports are in, but its own. */
export function tenantRoleKeys(host: PluggedHost): string[] {
  const tenant = namespaceOf(host);
  const places = (host.spec.ports ?? []).map(({ port }) => fullReference(port, tenant).namespace);
  return [...new Set(places)]
    .filter((namespace) => namespace !== tenant)
    .map((namespace) => formatKey({ namespace, name: tenantRoleName(tenant) }));
}

/** What a tenant may do with ports in a namespace of switches: nothing where no port is of its hosts. Pure. */
export function tenantRules(
  tables: Pick<NetworkTables, 'hosts'>,
  { namespace, tenant }: { readonly namespace: string; readonly tenant: string },
): readonly object[] {
  const mine = tables.hosts
    .byIndex('tenant', tenant)
    .flatMap((host) => (host.spec.ports ?? []).map(({ port }) => ({ host, at: fullReference(port, tenant) })))
    .filter(({ at }) => at.namespace === namespace)
    .filter(({ host, at }) => {
      const claim = claimOf(tables.hosts, formatKey(at));
      return claim !== undefined && formatKey(claim.host) === objectKey(host);
    });
  const names = [...new Set(mine.map(({ at }) => at.name))].toSorted();
  // A rule without names would mean all of them.
  if (names.length === 0) return [];
  const verbs = ['get', 'update', 'patch'];
  return [{ apiGroups: [metal3Group], resources: ['switchports'], resourceNames: names, verbs }];
}

/** True for a Role that says what it should. */
export function isSameRole(role: Role | undefined, rules: readonly object[]): boolean {
  return role === undefined ? rules.length === 0 : isSameJson(role.rules ?? [], rules);
}
