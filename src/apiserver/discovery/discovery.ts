import { createHash } from 'node:crypto';
import type { ResourceRegistry } from '../registry.ts';
import { apiVersionOf, type ServedResource } from '../served-resource.ts';
import type { VirtualResource } from '../virtual-resource.ts';

/** What the discovery documents are made of. */
export interface DiscoverySource {
  readonly registry: ResourceRegistry;
  readonly virtual: readonly VirtualResource[];
}

interface ResourceEntry {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** The built-in groups in kube-apiserver's order of preference, by which kubectl settles names that two groups share. */
const preferred = [
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'batch',
  'policy',
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'coordination.k8s.io',
];

/** Group names in the order clients see them: the core group apart, built-in ones by preference, others by name. */
export function groupNames({ registry, virtual }: DiscoverySource): string[] {
  const names = new Set([...registry.groups(), ...virtual.map((v) => v.group)]);
  names.delete('');
  const builtin = preferred.filter((group) => names.delete(group));
  return [...builtin, ...[...names].sort()];
}

/** Versions of a group, preferred first. */
export function groupVersions({ registry, virtual }: DiscoverySource, group: string): string[] {
  const versions = new Set(registry.versions(group));
  for (const v of virtual) if (v.group === group) versions.add(v.version);
  return [...versions];
}

/** `GET /api`. */
export function coreVersions(serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** One entry of `GET /apis`, and the whole of `GET /apis/GROUP`. */
export function apiGroup(source: DiscoverySource, group: string): object {
  const versions = groupVersions(source, group).map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** `GET /apis`. */
export function apiGroupList(source: DiscoverySource): object {
  const groups = groupNames(source).map((group) => apiGroup(source, group));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `GET /api/v1` or `GET /apis/GROUP/VERSION`. */
export function apiResourceList(source: DiscoverySource, group: string, version: string): object | undefined {
  const resources = entries(source, group, version);
  if (resources.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(group, version),
    resources,
  };
}

function entries({ registry, virtual }: DiscoverySource, group: string, version: string): ResourceEntry[] {
  const stored = registry.resources(group, version).flatMap((served) => storedEntries(served, registry));
  const asked = virtual
    .filter((v) => v.group === group && v.version === version)
    .map(({ resource, singular, namespaced, kind, verbs }) => ({
      name: resource,
      singularName: singular,
      namespaced,
      kind,
      verbs,
    }));
  const all: ResourceEntry[] = [...stored, ...asked];
  const parent = (entry: ResourceEntry): string => entry.name.split('/')[0] ?? '';
  return all.sort((a, b) => (parent(a) < parent(b) ? -1 : parent(a) > parent(b) ? 1 : 0));
}

function storedEntries(served: ServedResource, registry: ResourceRegistry): ResourceEntry[] {
  const { resource, namespaced, kind, shortNames, categories } = served;
  const main: ResourceEntry = {
    name: resource,
    singularName: served.singular,
    namespaced,
    kind,
    verbs: served.verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    storageVersionHash: storageVersionHash(registry.storage(served.bucket) ?? served),
  };
  const sub = (name: string, extra: Partial<ResourceEntry>): ResourceEntry => ({
    name: `${resource}/${name}`,
    singularName: '',
    namespaced,
    kind,
    verbs: ['get', 'patch', 'update'],
    ...extra,
  });
  const result = [main];
  if (served.hasStatus) result.push(sub('status', {}));
  if (served.scale !== undefined) result.push(sub('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }));
  for (const { name, group, version, kind: subKind, verbs } of served.extraSubresources) {
    result.push(sub(name, { ...(version === '' ? {} : { group, version }), kind: subKind, verbs }));
  }
  return served.origin === 'custom' ? result : result.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Tells clients that two group versions are stored alike: a hash of what the objects are stored as. */
function storageVersionHash(served: ServedResource): string {
  const text = `${served.group}/${served.version}/${served.kind}`;
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

/** `GET /api` or `GET /apis` in the aggregated form: everything in one document. */
export function aggregatedDiscovery(source: DiscoverySource, root: 'api' | 'apis'): object {
  const groups = root === 'api' ? [''] : groupNames(source);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: groupVersions(source, group).map((v) => ({
        version: v,
        resources: aggregatedResources(entries(source, group, v), ownKind(source, group, v)),
        freshness: 'Current',
      })),
    })),
  };
}

/** Custom resources name their group and version again; kube-apiserver leaves them empty for its own. */
function ownKind({ registry }: DiscoverySource, group: string, version: string): { group: string; version: string } {
  const isCustom = registry.resources(group, version).some((served) => served.origin === 'custom');
  return isCustom ? { group, version } : { group: '', version: '' };
}

function aggregatedResources(list: ResourceEntry[], own: { group: string; version: string }): object[] {
  const result: { resource: string; subresources?: object[] }[] = [];
  for (const entry of list) {
    const [name = '', sub] = entry.name.split('/');
    const responseKind = { group: entry.group ?? own.group, version: entry.version ?? own.version, kind: entry.kind };
    if (sub !== undefined) {
      const parent = result.find((r) => r.resource === name);
      if (parent === undefined) continue;
      parent.subresources = [...(parent.subresources ?? []), { subresource: sub, responseKind, verbs: entry.verbs }];
      continue;
    }
    result.push({
      resource: name,
      responseKind,
      scope: entry.namespaced ? 'Namespaced' : 'Cluster',
      singularResource: entry.singularName,
      verbs: entry.verbs,
      ...(entry.shortNames === undefined ? {} : { shortNames: entry.shortNames }),
      ...(entry.categories === undefined ? {} : { categories: entry.categories }),
    } as { resource: string });
  }
  return result;
}
