import { type DataCentre, type FleetManifest, fleetManifests } from '../../../simulator/index.ts';
import type { BareMetalHost, BMC } from '../../api/index.ts';
import {
  type AnyKubeObject,
  createResourceMapper,
  isAlreadyExists,
  type KubeClient,
  keyOf,
  type ResourceClient,
} from '../../kube/index.ts';
import { fleetNamespace } from '../simulate/fleet-namespace.ts';

const simulatedLabel = 'rackwright.io/simulated';

/** What was done to the objects that describe a simulated rack. */
export interface DescribedRack {
  readonly created: number;
  /** Objects that got the new port of their BMC. */
  readonly moved: number;
  /** Objects whose BMC has another IP address now, which cannot be changed. */
  readonly astray: readonly string[];
}

/** The port that BMC objects of an earlier start name; the lowest when each has its own. */
export async function findKnownPort(client: KubeClient): Promise<number | undefined> {
  const ref = await createResourceMapper(client).byKind('metal.ironcore.dev/v1alpha1', 'BMC');
  const { items } = await client.resource<AnyKubeObject>(ref).list({ labelSelector: `${simulatedLabel}=true` });
  const ports = items.flatMap((item) => (item as unknown as BMC).spec?.protocol?.port ?? []);
  return ports.length === 0 ? undefined : Math.min(...ports);
}

/**
 * Makes the objects that describe a rack. Those that are there are left as they are, but for the port of their BMC: whoever
 * changed anything else since they were made knows better.
 */
export async function describeRack({ bmcs, fabric }: DataCentre, client: KubeClient): Promise<DescribedRack> {
  const mapper = createResourceMapper(client);
  const astray: string[] = [];
  let created = 0;
  let moved = 0;
  for (const manifest of [...fleetManifests({ namespace: fleetNamespace, bmcs, fabric }).values()].flat()) {
    const resource = client.resource<AnyKubeObject>(await mapper.byKind(manifest.apiVersion, manifest.kind));
    const found = await createOrGet(resource, manifest);
    if (found === 'created') created++;
    else if (isAstray(found, manifest)) astray.push(`${manifest.kind} ${manifest.metadata?.name}`);
    else if (await move(resource, found, manifest)) moved++;
  }
  return { created, moved, astray };
}

async function createOrGet(
  resource: ResourceClient<AnyKubeObject>,
  manifest: FleetManifest,
): Promise<AnyKubeObject | 'created'> {
  const object = manifest as unknown as AnyKubeObject;
  try {
    await resource.create(object);
    return 'created';
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return addressIn(manifest) === undefined ? object : resource.get(keyOf(object));
  }
}

interface Address {
  readonly ip: string;
  readonly port: number;
}

/** Where an object says that its BMC is; undefined for objects that do not say. */
function addressIn(object: object): Address | undefined {
  const { kind, spec } = object as FleetManifest & { spec?: unknown };
  if (kind === 'BMC') {
    const { access, protocol } = (spec ?? {}) as NonNullable<BMC['spec']>;
    return { ip: access?.ip ?? '', port: protocol?.port ?? 0 };
  }
  if (kind !== 'BareMetalHost') return undefined;
  const { bmc } = (spec ?? {}) as NonNullable<BareMetalHost['spec']>;
  const match = /:\/\/([^/]*?)(?::(\d+))?(?:\/|$)/.exec(bmc?.address ?? '');
  return { ip: match?.[1] ?? '', port: Number(match?.[2] ?? 0) };
}

function isOurs({ metadata }: AnyKubeObject): boolean {
  return metadata?.labels?.[simulatedLabel] === 'true';
}

function isAstray(found: AnyKubeObject, manifest: FleetManifest): boolean {
  return isOurs(found) && addressIn(found)?.ip !== addressIn(manifest)?.ip;
}

/** Gives an object the port that its BMC has now; false when nothing had to change. */
async function move(
  resource: ResourceClient<AnyKubeObject>,
  found: AnyKubeObject,
  manifest: FleetManifest,
): Promise<boolean> {
  const port = addressIn(manifest)?.port;
  if (!isOurs(found) || port === undefined || addressIn(found)?.port === port) return false;
  if (manifest.kind === 'BMC') {
    await resource.patch(keyOf(found), { type: 'merge', body: { spec: { protocol: { port } } } });
  } else {
    await moveHost(resource, found as unknown as BareMetalHost, port);
  }
  return true;
}

/** A status with nothing in it. */
const blankStatus = { errorMessage: '', poweredOn: false, provisioning: { state: '', ID: '' } };

/** A host's address may change only while the host is detached, so it is for that moment. */
async function moveHost(resource: ResourceClient<AnyKubeObject>, host: BareMetalHost, port: number): Promise<void> {
  const key = keyOf(host as unknown as AnyKubeObject);
  const { status } = host;
  const address = host.spec?.bmc?.address.replace(/^([^/]*:\/\/[^/]*?)(?::\d+)?(\/|$)/, `$1:${port}$2`);
  const setStatus = (body: object | null) => resource.status.patch(key, { type: 'merge', body: { status: body } });
  await setStatus({ ...(status ?? blankStatus), operationalStatus: 'detached' });
  await resource.patch(key, { type: 'merge', body: { spec: { bmc: { address } } } });
  await setStatus(status === undefined ? null : { operationalStatus: status.operationalStatus });
}
