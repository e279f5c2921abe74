import type { BareMetalHost, BMC, BMCSecret, FixtureSwitch, Switch } from '../../src/api/index.ts';
import { ironcoreApiVersion, metal3ApiVersion } from '../../src/api/index.ts';
import type { RunningBmc } from '../data-centre.ts';
import type { Fabric, PortName, SimSwitch } from '../switches/fabric.ts';

/** A core Secret with what BareMetalHosts log in with. */
export interface SecretManifest {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly type: 'Opaque';
  readonly stringData: { readonly username: string; readonly password: string };
}

/** A namespace for the fleet. */
export interface NamespaceManifest {
  readonly apiVersion: 'v1';
  readonly kind: 'Namespace';
  readonly metadata: { readonly name: string };
}

/** Any object that describes a simulated fleet to Rackwright. */
export type FleetManifest =
  | NamespaceManifest
  | SecretManifest
  | BareMetalHost
  | BMC
  | BMCSecret
  | Switch
  | FixtureSwitch;

/** What to describe. */
export interface FleetToExport {
  readonly namespace: string;
  readonly bmcs: readonly RunningBmc[];
  readonly fabric: Fabric;
}

/** The objects of a fleet in files, by file name: one file a server, one a switch. */
export function fleetManifests(fleet: FleetToExport): ReadonlyMap<string, readonly FleetManifest[]> {
  const { namespace, bmcs, fabric } = fleet;
  return new Map<string, readonly FleetManifest[]>([
    ['00-namespace.yaml', [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]],
    ...fabric.switches.map(
      (each) => [`switch-${each.name}.yaml`, switchManifests(each, namespace)] satisfies [string, FleetManifest[]],
    ),
    ...bmcs.map(
      (each) => [`server-${each.name}.yaml`, serverManifests(each, namespace)] satisfies [string, FleetManifest[]],
    ),
  ]);
}

function serverManifests(bmc: RunningBmc, namespace: string): FleetManifest[] {
  const labels = labelsOf(bmc);
  const login = { username: bmc.username, password: bmc.password };
  const secretName = `${bmc.name}-bmc`;
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secretName, namespace, labels },
      type: 'Opaque',
      stringData: login,
    },
    hostManifest(bmc, { namespace, secretName }),
    {
      apiVersion: ironcoreApiVersion,
      kind: 'BMCSecret',
      metadata: { name: bmc.name, labels },
      data: { username: base64(login.username), password: base64(login.password) },
    },
    bmcManifest(bmc, labels),
  ];
}

function hostManifest(
  bmc: RunningBmc,
  place: { readonly namespace: string; readonly secretName: string },
): BareMetalHost {
  const url = new URL(bmc.url);
  const scheme = url.protocol === 'https:' ? 'redfish-virtualmedia+https' : 'redfish-virtualmedia+http';
  const bootMac = portsOf(bmc)[0]?.mac.toLowerCase();
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { name: bmc.name, namespace: place.namespace, labels: labelsOf(bmc) },
    spec: {
      online: bmc.machine.power.state === 'On',
      bmc: {
        address: `${scheme}://${url.host}${bmc.systemPath}`,
        credentialsName: place.secretName,
        // Hosts have no place for the authority of a simulated data centre.
        disableCertificateVerification: url.protocol === 'https:',
      },
      ...(bootMac === undefined ? {} : { bootMACAddress: bootMac }),
    },
  };
}

function bmcManifest(bmc: RunningBmc, labels: Record<string, string>): BMC {
  const url = new URL(bmc.url);
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'BMC',
    metadata: { name: bmc.name, labels },
    spec: {
      access: { ip: url.hostname.replaceAll(/[[\]]/g, ''), macAddress: bmc.machine.hardware.bmcMac.toLowerCase() },
      bmcSecretRef: { name: bmc.name },
      protocol: { name: 'Redfish', port: Number(url.port) || (scheme === 'https' ? 443 : 80), scheme },
    },
  };
}

function switchManifests(each: SimSwitch, namespace: string): FleetManifest[] {
  const metadata = { name: each.name, namespace };
  const ports = each.ports.map((port) => {
    const key = switchPortName({ switchName: each.name, port: port.name });
    return [key, { name: port.name, disabled: false, vlanRange: '1-4094', trunkDisable: false }] as const;
  });
  return [
    {
      apiVersion: metal3ApiVersion,
      kind: 'FixtureSwitch',
      metadata,
      spec: { ports: each.ports.map((port) => port.name) },
    },
    {
      apiVersion: metal3ApiVersion,
      kind: 'Switch',
      metadata,
      spec: {
        provider: { kind: 'FixtureSwitch', name: each.name },
        macAddress: each.chassisId,
        ports: Object.fromEntries(ports),
      },
    },
  ];
}

/** The name of the SwitchPort object of a port: `tor-r01-a-ethernet1-7`. */
export function switchPortName(name: PortName): string {
  const tail = name.port
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `${name.switchName}-${tail}`;
}

function portsOf(bmc: RunningBmc): readonly { readonly mac: string }[] {
  return bmc.machine.hardware.nics.flatMap((nic) => nic.ports);
}

function labelsOf(bmc: RunningBmc): Record<string, string> {
  return {
    'rackwright.io/simulated': 'true',
    'rackwright.io/rack': bmc.name.split('-')[0] ?? '',
    'rackwright.io/personality': bmc.machine.personality.name,
  };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
