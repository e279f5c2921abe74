import { type DataCentre, type FleetManifest, fleetManifests, simulatedImages } from '../../../simulator/index.ts';
import type { BareMetalHost, BMC, Image } from '../../api/index.ts';
import { type HostAdmission, listHosts } from '../../hosts/index.ts';
import {
  type AnyKubeObject,
  createResourceMapper,
  formatKey,
  isAlreadyExists,
  type KubeClient,
  KubeError,
  keyOf,
  type ResourceClient,
  systemClock,
} from '../../kube/index.ts';
import type { ProvisionerName } from '../hosts/choose-provisioner.ts';
import { fleetNamespace } from '../simulate/fleet-namespace.ts';

const simulatedLabel = 'rackwright.io/simulated';

/** What became of the objects of an earlier start, now that the BMCs are where they are. */
export interface MovedRack {
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
 * Tells the objects of an earlier start where their BMCs are now. Nothing else in them is changed: whoever did so since
 * they were made knows better. To be done before controllers of hosts run, since a host is detached for a moment.
 */
export async function moveRack({ bmcs, fabric }: DataCentre, client: KubeClient): Promise<MovedRack> {
  const mapper = createResourceMapper(client);
  const manifests = manifestsOf({ bmcs, fabric }).filter((manifest) => addressIn(manifest) !== undefined);
  const astray: string[] = [];
  let moved = 0;
  for (const [kind, ofKind] of Map.groupBy(manifests, (manifest) => manifest.kind)) {
    const ref = await mapper.byKind(ofKind[0]?.apiVersion ?? '', kind);
    const resource = client.resource<AnyKubeObject>(ref);
    const { items } = await resource.list({ labelSelector: `${simulatedLabel}=true` });
    const known = new Map(items.map((item) => [formatKey(keyOf(item)), item]));
    for (const manifest of ofKind) {
      const found = known.get(formatKey(keyOf(manifest as unknown as AnyKubeObject)));
      if (found === undefined) continue;
      // Lists leave out what every item is.
      const object = { ...found, kind };
      if (isAstray(object, manifest)) astray.push(`${kind} ${manifest.metadata?.name}`);
      else if (await move(resource, object, manifest)) moved++;
    }
  }
  return { moved, astray };
}

/** What was made of a rack. */
export interface CreatedRack {
  readonly created: number;
  /** Hosts that the API server did not let in, by name, and why: somebody may have a host of their own for the server. */
  readonly refused: ReadonlyMap<string, string>;
}

/** How the objects of a rack are made. */
export interface CreateRackOptions {
  /** What some hosts are to be provisioned with; undefined where that is none. */
  readonly exampleImage: Image | undefined;
  /** Told of no two hosts of one machine, for as long as it takes. */
  readonly admission: HostAdmission;
}

/** Makes the objects that describe a rack; those that are there are left as they are. */
export async function createRackObjects(
  { bmcs, fabric }: DataCentre,
  client: KubeClient,
  { exampleImage, admission }: CreateRackOptions,
): Promise<CreatedRack> {
  const mapper = createResourceMapper(client);
  const deployed = bmcs.slice(...deployedServers).map(({ name }) => name);
  const manifests = manifestsOf({ bmcs, fabric }).map((manifest) =>
    exampleImage !== undefined && isHost(manifest) && deployed.includes(manifest.metadata.name ?? '')
      ? { ...manifest, spec: { ...manifest.spec, online: true, image: exampleImage } }
      : manifest,
  );
  admission.attach(await listHosts({ client, clock: systemClock, expected: manifests.filter(isHost) }));
  try {
    const refused = new Map<string, string>();
    let created = 0;
    for (const manifest of manifests) {
      const resource = client.resource<AnyKubeObject>(await mapper.byKind(manifest.apiVersion, manifest.kind));
      const outcome = await create(resource, manifest);
      if (outcome === 'created') created++;
      else if (outcome !== 'there') refused.set(manifest.metadata?.name ?? '', outcome.refusal);
    }
    return { created, refused };
  } finally {
    admission.detach();
  }
}

function isHost(manifest: FleetManifest): manifest is BareMetalHost {
  return manifest.kind === 'BareMetalHost';
}

function manifestsOf({ bmcs, fabric }: Pick<DataCentre, 'bmcs' | 'fabric'>): readonly FleetManifest[] {
  return [...fleetManifests({ namespace: fleetNamespace, bmcs, fabric }).values()].flat();
}

/** The seventh and the eighth: a rack of eight has another server of the make of each that nobody uses. */
const deployedServers = [6, 8] as const;

/** What hosts of the rack can run; simulated servers know these images, and nobody else does. */
export function exampleImageFor(provisioner: ProvisionerName): Image | undefined {
  const url = `http://${simulatedImages}/linux`;
  if (provisioner === 'ironic') return undefined;
  // BMCs alone write no disk.
  if (provisioner === 'redfish') return { url: `${url}.iso`, format: 'live-iso' };
  return { url: `${url}.qcow2`, checksum: `${url}.qcow2.sha256`, checksumType: 'sha256', format: 'qcow2' };
}

type Creation = 'created' | 'there' | { readonly refusal: string };

async function create(resource: ResourceClient<AnyKubeObject>, manifest: FleetManifest): Promise<Creation> {
  try {
    await resource.create(manifest as unknown as AnyKubeObject);
    return 'created';
  } catch (error) {
    if (isAlreadyExists(error)) return 'there';
    const isRefused = error instanceof KubeError && (error.code === 403 || error.code === 422);
    if (isRefused && isHost(manifest)) return { refusal: error.message };
    throw error;
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

function isAstray(found: AnyKubeObject, manifest: FleetManifest): boolean {
  return addressIn(found)?.ip !== addressIn(manifest)?.ip;
}

/** Gives an object the port that its BMC has now; false when nothing had to change. */
async function move(
  resource: ResourceClient<AnyKubeObject>,
  found: AnyKubeObject,
  manifest: FleetManifest,
): Promise<boolean> {
  const port = addressIn(manifest)?.port;
  if (port === undefined || addressIn(found)?.port === port) return false;
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
