import { isNotFound, type KubeError, kubeError } from '../errors.ts';
import { apiVersionOf, parseApiVersion, type ResourceRef } from '../object.ts';
import type { KubeClient } from './client.ts';

/** One resource that the server serves. */
export interface ServedResource extends ResourceRef {
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** True in the version of its group that the server prefers. */
  readonly isPreferred: boolean;
}

/** Finds where a kind or a name typed by a person is served. */
export interface ResourceMapper {
  /** The resource of an apiVersion and kind; throws a NotFound KubeError when the server has none. */
  byKind(apiVersion: string, kind: string): Promise<ServedResource>;
  /**
   * The resource a person means: `pods`, `pod`, `po`, `Pod`, `widgets.example.com` or `widgets.v1.example.com`. Throws
   * a NotFound KubeError when there is none.
   */
  byName(name: string): Promise<ServedResource>;
  /** The preferred resources of a category such as `all`. */
  byCategory(category: string): Promise<ServedResource[]>;
  all(): Promise<readonly ServedResource[]>;
  /** Forgets what was read, e.g. after applying a CustomResourceDefinition. */
  reset(): void;
}

/** A mapper that reads discovery once, and again when something is asked for that it does not know. */
export function createResourceMapper(client: KubeClient): ResourceMapper {
  let reading: Promise<readonly ServedResource[]> | undefined;
  const all = (): Promise<readonly ServedResource[]> => {
    reading ??= readDiscovery(client).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  const find = async (
    choose: (resources: readonly ServedResource[]) => ServedResource | undefined,
    missing: () => KubeError,
  ): Promise<ServedResource> => {
    const isFresh = reading === undefined;
    const found = choose(await all());
    if (found !== undefined) return found;
    if (isFresh) throw missing();
    reading = undefined;
    const second = choose(await all());
    if (second === undefined) throw missing();
    return second;
  };
  return {
    all,
    reset() {
      reading = undefined;
    },
    byKind: (apiVersion, kind) =>
      find(
        (resources) => resources.find((r) => apiVersionOf(r) === apiVersion && r.kind === kind),
        () => kubeError('NotFound', `no matches for kind "${kind}" in version "${apiVersion}"`),
      ),
    byName: (name) =>
      find(
        (resources) => chooseByName(resources, name),
        () => kubeError('NotFound', `the server doesn't have a resource type "${name}"`),
      ),
    async byCategory(category) {
      return (await all()).filter((r) => r.isPreferred && r.categories.includes(category) && r.verbs.includes('list'));
    },
  };
}

/** Plural, singular and kind come before short names; the preferred version and the core group come before others. */
function chooseByName(resources: readonly ServedResource[], typed: string): ServedResource | undefined {
  const [name = '', ...rest] = typed.toLowerCase().split('.');
  const candidates = rest.length === 0 ? resources.filter((r) => r.isPreferred) : qualifiedBy(resources, rest);
  const ranked = candidates.toSorted((a, b) => rank(a) - rank(b));
  return (
    ranked.find((r) => r.resource === name || r.singular === name || r.kind.toLowerCase() === name) ??
    ranked.find((r) => r.shortNames.includes(name))
  );
}

function rank(resource: ServedResource): number {
  return (resource.group === '' ? 0 : 1) + (resource.isPreferred ? 0 : 2);
}

/** `example.com` names a group; `v1.example.com` a version and a group; a group may itself begin like a version. */
function qualifiedBy(resources: readonly ServedResource[], qualifier: readonly string[]): ServedResource[] {
  const group = qualifier.join('.');
  const byGroup = resources.filter((r) => r.group === group && r.isPreferred);
  if (byGroup.length > 0) return byGroup;
  const [version, ...restGroup] = qualifier;
  return resources.filter((r) => r.version === version && r.group === restGroup.join('.'));
}

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface AggregatedList {
  kind?: string;
  items?: { metadata?: { name?: string }; versions?: AggregatedVersion[] }[];
}

interface AggregatedVersion {
  version: string;
  resources?: AggregatedResource[];
}

interface AggregatedResource {
  resource: string;
  responseKind?: { kind?: string };
  scope?: string;
  singularResource?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string }[];
}

/** Everything the server serves: two requests where discovery is aggregated, one per group version where it is not. */
async function readDiscovery(client: KubeClient): Promise<readonly ServedResource[]> {
  const accept = `${aggregatedType},application/json`;
  const [core, groups] = await Promise.all(
    ['/api', '/apis'].map((path) => client.request<AggregatedList>({ method: 'GET', path, accept })),
  );
  const lists = [core, groups];
  if (lists.some((list) => list?.kind !== 'APIGroupDiscoveryList')) return readOldDiscovery(client);
  return lists.flatMap((list) => (list?.items ?? []).flatMap((item) => fromAggregated(item)));
}

function fromAggregated(item: { metadata?: { name?: string }; versions?: AggregatedVersion[] }): ServedResource[] {
  const group = item.metadata?.name ?? '';
  // The first version of a group that has a resource is the preferred one for it.
  const seen = new Set<string>();
  return (item.versions ?? []).flatMap(({ version, resources }) =>
    (resources ?? []).map((r) => {
      const isPreferred = !seen.has(r.resource);
      seen.add(r.resource);
      const kind = r.responseKind?.kind ?? '';
      return {
        group,
        version,
        resource: r.resource,
        namespaced: r.scope === 'Namespaced',
        kind,
        singular: r.singularResource ?? kind.toLowerCase(),
        shortNames: r.shortNames ?? [],
        categories: r.categories ?? [],
        verbs: r.verbs ?? [],
        subresources: (r.subresources ?? []).map((s) => s.subresource),
        isPreferred,
      };
    }),
  );
}

interface OldResource {
  name: string;
  singularName?: string;
  namespaced: boolean;
  kind: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
}

async function readOldDiscovery(client: KubeClient): Promise<ServedResource[]> {
  const [core, groups] = await Promise.all([
    client.request<{ versions?: string[] }>({ method: 'GET', path: '/api' }),
    client.request<{ groups?: { versions: { groupVersion: string }[] }[] }>({ method: 'GET', path: '/apis' }),
  ]);
  const perGroup = [
    (core.versions ?? []).map((version) => ({ path: `/api/${version}`, apiVersion: version })),
    ...(groups.groups ?? []).map((g) =>
      g.versions.map(({ groupVersion }) => ({ path: `/apis/${groupVersion}`, apiVersion: groupVersion })),
    ),
  ];
  return (await Promise.all(perGroup.map((versions) => readGroup(client, versions)))).flat();
}

async function readGroup(
  client: KubeClient,
  versions: { path: string; apiVersion: string }[],
): Promise<ServedResource[]> {
  const lists = await Promise.all(
    versions.map(async ({ path, apiVersion }) => ({
      ...parseApiVersion(apiVersion),
      resources: await readVersion(client, path),
    })),
  );
  const seen = new Set<string>();
  return lists.flatMap(({ group, version, resources }) =>
    resources
      .filter((r) => !r.name.includes('/'))
      .map((r) => {
        const isPreferred = !seen.has(r.name);
        seen.add(r.name);
        return fromOld({ group, version, isPreferred }, r, resources);
      }),
  );
}

/** A group whose backend is away has no resources; the rest of discovery is still good. */
async function readVersion(client: KubeClient, path: string): Promise<OldResource[]> {
  try {
    return (await client.request<{ resources?: OldResource[] }>({ method: 'GET', path })).resources ?? [];
  } catch (error) {
    if (isNotFound(error) || (error as KubeError).code === 503) return [];
    throw error;
  }
}

function fromOld(
  at: { group: string; version: string; isPreferred: boolean },
  resource: OldResource,
  all: readonly OldResource[],
): ServedResource {
  const prefix = `${resource.name}/`;
  return {
    ...at,
    resource: resource.name,
    namespaced: resource.namespaced,
    kind: resource.kind,
    singular: resource.singularName || resource.kind.toLowerCase(),
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs ?? [],
    subresources: all.filter((r) => r.name.startsWith(prefix)).map((r) => r.name.slice(prefix.length)),
  };
}
