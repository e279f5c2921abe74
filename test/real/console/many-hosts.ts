import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bareMetalHost,
  crdOf,
  networkSwitch,
  serverFirmware,
  server as serverKind,
  switchPort,
  switchResourceLimit,
} from '../../../src/api/index.ts';
import { startApiServer } from '../../../src/apiserver/index.ts';
import { openConsole } from '../../../src/cli/console/open-console.ts';
import {
  type AnyKubeObject,
  createClient,
  installDefinitions,
  type KubeClient,
  type ResourceClient,
} from '../../../src/kube/index.ts';

/** An API server with many hosts that nobody works on: whoever uses it says what changes. */
export interface ManyHosts {
  /** Of the console. */
  readonly url: string;
  readonly token: string;
  /** Switches hosts on or off, each a change that is watched; by their number. */
  change(numbers: readonly number[], isOn: boolean): Promise<void>;
  close(): Promise<void>;
}

const namespace = 'fleet';
const perRack = 40;
const atOnce = 48;

/** The name of a host by its number. */
export function hostName(number: number): string {
  const rack = Math.floor(number / perRack) + 1;
  return `r${String(rack).padStart(3, '0')}-s${String((number % perRack) + 1).padStart(2, '0')}`;
}

/** What there is besides hosts. */
export interface ManyOptions {
  /** Each with as many ports as `portsOfSwitch`. */
  readonly switches?: number;
}

/** How many ports a switch has. */
export const portsOfSwitch = 12;

/** The name of a switch by its number. */
export function switchName(number: number): string {
  return `tor-${String(number + 1).padStart(3, '0')}`;
}

/** Starts an API server that serves the console, and makes hosts. */
export async function startManyHosts(count: number, { switches = 0 }: ManyOptions = {}): Promise<ManyHosts> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rackwright-many-'));
  const front = openConsole();
  const server = await startApiServer({ dataDir, port: 0, front: (...call) => front.handle(...call) });
  const client = await createClient({ kubeconfigText: server.kubeconfig });
  const kinds = [bareMetalHost, serverFirmware, serverKind, networkSwitch, switchPort, switchResourceLimit];
  await installDefinitions(
    client,
    kinds.map((kind) => inOneWrite(crdOf(kind))),
    { fieldManager: 'many-hosts' },
  );
  const hosts = client.resource<AnyKubeObject>({
    ...{ group: 'metal3.io', version: 'v1alpha1', resource: 'baremetalhosts', kind: 'BareMetalHost', namespaced: true },
  });
  const path = '/api/v1/namespaces';
  await client.request({ method: 'POST', path, body: { metadata: { name: namespace } } });
  await inTurns(count, (number) => createHost(hosts, number));
  await createSwitches(client, switches);
  return {
    url: `${server.url}/console/`,
    token: server.adminToken,
    async change(numbers, isOn) {
      await inTurns(numbers.length, async (index) => {
        const where = { name: hostName(numbers[index] ?? 0), namespace };
        const body = { status: { poweredOn: isOn, lastUpdated: new Date().toISOString() } };
        await hosts.patch(where, { type: 'merge', body });
      });
    },
    async close() {
      await client.close();
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Without a status of its own an object and what is known of it are one write. */
function inOneWrite(definition: unknown): AnyKubeObject {
  const copy = structuredClone(definition) as { spec: { versions: { subresources?: unknown }[] } };
  for (const version of copy.spec.versions) delete version.subresources;
  return copy as unknown as AnyKubeObject;
}

async function inTurns(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, one));
}

async function createHost(hosts: ResourceClient<AnyKubeObject>, number: number): Promise<void> {
  const name = hostName(number);
  const isBroken = number % 97 === 96;
  const mac = (card: number): string => `02:00:${hex(number >> 8)}:${hex(number & 255)}:00:${hex(card)}`;
  await hosts.create({
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name, namespace, labels: { 'rackwright.io/rack': name.slice(0, 4) } },
    spec: {
      online: true,
      bootMACAddress: mac(0),
      bmc: { address: `redfish://192.0.2.${number % 250}/redfish/v1/Systems/1`, credentialsName: `${name}-bmc` },
    },
    status: {
      operationalStatus: isBroken ? 'error' : 'OK',
      ...(isBroken ? { errorType: 'power management error' } : {}),
      errorMessage: isBroken ? 'the BMC does not answer' : '',
      errorCount: isBroken ? 3 : 0,
      poweredOn: number % 5 > 0,
      provisioning: { state: number % 5 === 0 ? 'available' : 'provisioned', ID: name },
      lastUpdated: '2026-01-01T00:00:00Z',
      hardware: {
        systemVendor: { manufacturer: 'Dell Inc.', productName: 'PowerEdge R750', serialNumber: `SN${number}` },
        ramMebibytes: 524_288,
        cpu: { arch: 'x86_64', model: 'Intel(R) Xeon(R) Gold 6330', count: 112, clockMegahertz: 2000 },
        hostname: name,
        nics: [0, 1, 2, 3].map((card) => ({ name: `eno${card}`, mac: mac(card), model: 'BCM57416', speedGbps: 25 })),
        storage: [0, 1, 2, 3].map((disk) => ({ name: `/dev/sd${'abcd'[disk]}`, sizeBytes: 960e9, type: 'SSD' })),
      },
    },
  });
}

async function createSwitches(client: KubeClient, count: number): Promise<void> {
  const kind = { group: 'metal3.io', version: 'v1alpha1', namespaced: true };
  const switches = client.resource<AnyKubeObject>({ ...kind, resource: 'switches', kind: 'Switch' });
  const ports = client.resource<AnyKubeObject>({ ...kind, resource: 'switchports', kind: 'SwitchPort' });
  const apiVersion = 'metal3.io/v1alpha1';
  await inTurns(count, async (number) => {
    const name = switchName(number);
    const { metadata } = await switches.create({
      ...{ apiVersion, kind: 'Switch', metadata: { name, namespace } },
      spec: { provider: { kind: 'FixtureSwitch', name } },
      status: { state: 'Running' },
    });
    // Ports of a switch that is not there would be collected.
    const ownerReferences = [{ apiVersion, kind: 'Switch', name, uid: metadata?.uid ?? '' }];
    for (let socket = 1; socket <= portsOfSwitch; socket++) {
      const observed = { untaggedVLAN: 1, disabled: false };
      await ports.create({
        ...{ apiVersion, kind: 'SwitchPort', spec: {} },
        metadata: { name: `${name}-ethernet1-${socket}`, namespace, ownerReferences },
        status: { state: 'Idle', physicalPortName: `Ethernet1/${socket}`, observed },
      });
    }
  });
}

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}
