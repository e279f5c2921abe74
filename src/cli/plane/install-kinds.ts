import {
  allKinds,
  type ClusterRole,
  controllerRoleOf,
  crdOf,
  type KindDeclaration,
  kindRolesOf,
  leaseRole,
  machineControllerRoleOf,
  networkControllerRoleOf,
  personaRolesOf,
  serviceRoles,
} from '../../api/index.ts';
import {
  type AnyKubeObject,
  definitionsRef,
  type KubeClient,
  type KubeObject,
  type ResourceRef,
  untilServed,
} from '../../kube/index.ts';
import { CliError } from '../errors.ts';

const fieldManager = 'rackwright';

const rolesRef: ResourceRef = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  namespaced: false,
  kind: 'ClusterRole',
};

/** A definition as far as installing looks into it. */
interface Definition extends KubeObject {
  spec?: { conversion?: unknown };
}

/** What to install, and whether definitions of the same name that are not ours are replaced. */
export interface InstallOptions {
  readonly kinds?: readonly KindDeclaration[];
  readonly isReplacingOthers: boolean;
  /**
   * Who converts between versions: the API server's own process; a webhook that is published apart from the
   * definition; or nobody, and then only the stored version of a kind is served, since renaming would lose fields.
   */
  readonly conversion: 'in-process' | 'elsewhere' | 'impossible';
  readonly signal: AbortSignal;
}

/** What was installed. */
export interface Installed {
  /** Names of the definitions that are ours. */
  readonly definitions: readonly string[];
  /** Names of definitions that somebody else installed and that were left as they are. */
  readonly left: readonly string[];
  readonly roles: number;
}

/** Installs every kind and its roles, and resolves when the server serves all of them. */
export async function installKinds(client: KubeClient, options: InstallOptions): Promise<Installed> {
  const kinds = options.kinds ?? allKinds;
  const wanted = kinds.map((kind) => definitionOf(kind, options));
  const { ours, left } = await divide(client, wanted, options);
  const definitions = client.resource<AnyKubeObject>(definitionsRef);
  await inTurns(ours, (crd) => definitions.apply(crd, { fieldManager, isForced: true, signal: options.signal }));
  const roles = rolesOf(kinds);
  const clusterRoles = client.resource<AnyKubeObject>(rolesRef);
  await inTurns(roles, (role) =>
    clusterRoles.apply(role as unknown as AnyKubeObject, { fieldManager, isForced: true, signal: options.signal }),
  );
  const names = ours.map(nameOf);
  await waitUntilServed(client, [...names, ...left], options.signal);
  return { definitions: names, left, roles: roles.length };
}

function definitionOf(kind: KindDeclaration, { conversion: way }: InstallOptions): AnyKubeObject {
  const served = way === 'impossible' ? onlyStored(kind) : kind;
  const { conversion, ...spec } = crdOf(served).spec;
  const isLeftOut = conversion === undefined || way === 'elsewhere';
  return { ...crdOf(served), spec: isLeftOut ? spec : { ...spec, conversion } } as AnyKubeObject;
}

function onlyStored(kind: KindDeclaration): KindDeclaration {
  return { ...kind, versions: kind.versions.map((version) => ({ ...version, served: version.storage })) };
}

function rolesOf(kinds: readonly KindDeclaration[]): ClusterRole[] {
  const people = [...personaRolesOf(kinds), ...serviceRoles()];
  const controllers = [
    controllerRoleOf(kinds),
    networkControllerRoleOf(kinds),
    machineControllerRoleOf(kinds),
    leaseRole(),
  ];
  return [...kinds.flatMap((kind) => kindRolesOf(kind)), ...people, ...controllers];
}

function nameOf(object: KubeObject): string {
  return object.metadata?.name ?? '';
}

const partOf = 'app.kubernetes.io/part-of';

async function divide(
  client: KubeClient,
  wanted: readonly AnyKubeObject[],
  { isReplacingOthers, signal }: InstallOptions,
): Promise<{ ours: AnyKubeObject[]; left: string[] }> {
  if (isReplacingOthers) return { ours: [...wanted], left: [] };
  const { items } = await client.resource<Definition>(definitionsRef).list({ signal });
  const others = new Set(items.filter((crd) => crd.metadata?.labels?.[partOf] !== 'rackwright').map(nameOf));
  return {
    ours: wanted.filter((crd) => !others.has(nameOf(crd))),
    left: wanted.map(nameOf).filter((name) => others.has(name)),
  };
}

/** A few at a time: enough to keep a server far away busy, without a burst it would throttle. */
async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: 4 }, work));
}

async function waitUntilServed(client: KubeClient, names: readonly string[], signal: AbortSignal): Promise<void> {
  const waiting = await untilServed(client, names, AbortSignal.any([signal, AbortSignal.timeout(60_000)]));
  signal.throwIfAborted();
  if (waiting.size === 0) return;
  const reasons = [...waiting].map(([name, why]) => `  ${name}: ${why}`);
  throw new CliError('timed-out', `these kinds are not served after 60 s:\n${reasons.join('\n')}`);
}
