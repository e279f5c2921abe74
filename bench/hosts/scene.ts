import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { type BareMetalHost, crdOf, metal3ApiVersion, metal3Kinds } from '../../src/api/index.ts';
import type { AnyKubeObject, KubeClient, KubeObject, ResourceRef } from '../../src/kube/index.ts';

function metal3(resource: string): ResourceRef {
  return { group: 'metal3.io', version: 'v1alpha1', resource, namespaced: true };
}

function core(resource: string): ResourceRef {
  return { group: '', version: 'v1', resource, namespaced: true };
}

/** Where the objects of the bench are. */
export const refs = {
  hosts: metal3('baremetalhosts'),
  hardwareData: metal3('hardwaredata'),
  firmwareSettings: metal3('hostfirmwaresettings'),
  firmwareComponents: metal3('hostfirmwarecomponents'),
  firmwareSchemas: metal3('firmwareschemas'),
  secrets: core('secrets'),
  configMaps: core('configmaps'),
  events: core('events'),
} as const;

/** The namespace that hosts are made in. */
export const fleet = 'bench-hosts';

/** Resources that an operator of hosts asks for; an API server's own work is on others. */
export const operatorResources: ReadonlySet<string> = new Set([
  ...metal3Kinds.map(({ plural }) => plural),
  ...['preprovisioningimages', 'dataimages', 'bmceventsubscriptions', 'hostclaims', 'hostdeploypolicies'],
  ...['secrets', 'configmaps', 'events'],
]);

/** How many objects the bench makes at a time: the most that its client has connections for. */
const atATime = 32;

/** Definitions of all kinds of hosts; those in the file take the place of ours of the same name. */
export function definitionsWith(file: string | undefined): readonly AnyKubeObject[] {
  const own = metal3Kinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
  const given = file === undefined ? [] : readDefinitions(file);
  return [...new Map([...own, ...given].map((crd) => [crd.metadata?.name ?? '', crd])).values()];
}

function readDefinitions(file: string): AnyKubeObject[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8'));
  return [...documents]
    .map((each) => each.toJS() as AnyKubeObject)
    .filter((each) => each !== null && isDefinition(each));
}

function isDefinition({ kind }: AnyKubeObject): boolean {
  return kind === 'CustomResourceDefinition';
}

/** Makes the namespace. */
export async function putNamespace(client: KubeClient): Promise<void> {
  const namespaces = client.resource<AnyKubeObject>({ ...core('namespaces'), namespaced: false, kind: 'Namespace' });
  await namespaces.apply({ metadata: { name: fleet } }, { fieldManager: 'bench', isForced: true });
}

/** The names of so many hosts. */
export function hostNames(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** The Secret that a host names. */
export function secretNameOf(host: string): string {
  return `${host}-bmc`;
}

/** Makes the Secrets of hosts. */
export async function putSecrets(client: KubeClient, names: readonly string[]): Promise<void> {
  const secrets = client.resource<AnyKubeObject>({ ...refs.secrets, kind: 'Secret' });
  const data = { username: btoa('admin'), password: btoa('bench') };
  await inTurns(names, (host) =>
    secrets.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: fleet, name: secretNameOf(host) },
      data,
    }),
  );
}

/** Makes hosts as fast as the API server takes them. `first` is the number of the first BMC. */
export async function putHosts(client: KubeClient, names: readonly string[], first: number): Promise<void> {
  const hosts = client.resource<BareMetalHost & KubeObject>({ ...refs.hosts, kind: 'BareMetalHost' });
  await inTurns(names, (name, index) => hosts.create(hostOf(name, first + index)));
}

function hostOf(name: string, number: number): BareMetalHost & KubeObject {
  const [high, middle, low] = [16, 8, 0].map((shift) => (number >> shift) & 255);
  const hex = number.toString(16).padStart(8, '0').match(/../g)?.join(':');
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { namespace: fleet, name },
    spec: {
      online: true,
      bootMACAddress: `52:54:${hex}`,
      bmc: {
        address: `redfish://10.${high}.${middle}.${low}/redfish/v1/Systems/1`,
        credentialsName: secretNameOf(name),
      },
    },
  };
}

async function inTurns<T>(items: readonly T[], act: (item: T, index: number) => Promise<unknown>): Promise<void> {
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) await act(item, index);
  };
  await Promise.all(Array.from({ length: atATime }, work));
}
