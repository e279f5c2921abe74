import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient, KubeObject } from '../../../src/kube/index.ts';

/** A volume of a pod, as far as it has files in it. */
export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly items?: Items };
  readonly configMap?: { readonly name: string; readonly items?: Items };
}

type Items = readonly { readonly key: string; readonly path: string }[];

/** Where a volume is in a container. */
export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
}

interface Content extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const core = { group: '', version: 'v1', namespaced: true };
const secrets = { ...core, resource: 'secrets', kind: 'Secret' };
const configMaps = { ...core, resource: 'configmaps', kind: 'ConfigMap' };

/**
 * Writes what is in the volumes of a pod below a folder, as a kubelet does it, and gives what tells a path of the container as it is
 * on this machine. Paths that are in no volume with files stay.
 */
export async function mountVolumes(
  client: KubeClient,
  { namespace, volumes, mounts }: { namespace: string; volumes: readonly Volume[]; mounts: readonly VolumeMount[] },
  folder: string,
): Promise<(path: string) => string> {
  const found: { readonly from: string; readonly to: string }[] = [];
  for (const { name, mountPath } of mounts) {
    const volume = volumes.find((each) => each.name === name) ?? assert.fail(`there is no volume ${name}`);
    const files = await filesOf(client, volume, namespace);
    if (files === undefined) continue;
    const to = join(folder, 'volumes', name);
    mkdirSync(to, { recursive: true });
    // For the owner alone: elsewhere it is the group of the pod that may read.
    for (const [path, content] of files) writeFileSync(join(to, path), content, { mode: 0o600 });
    found.push({ from: mountPath, to });
  }
  return (path) => {
    const mount = found.find(({ from }) => path.startsWith(`${from}/`));
    return mount === undefined ? path : mount.to + path.slice(mount.from.length);
  };
}

async function filesOf(
  client: KubeClient,
  { secret, configMap }: Volume,
  namespace: string,
): Promise<readonly (readonly [string, Buffer])[] | undefined> {
  if (secret !== undefined) {
    const { data = {} } = await client.resource<Content>(secrets).get({ namespace, name: secret.secretName });
    return chosenOf(data, secret.items).map(([path, text]) => [path, Buffer.from(text, 'base64')]);
  }
  if (configMap === undefined) return undefined;
  const { data = {} } = await client.resource<Content>(configMaps).get({ namespace, name: configMap.name });
  return chosenOf(data, configMap.items).map(([path, text]) => [path, Buffer.from(text)]);
}

/** A pod does not start where an item is not there. */
function chosenOf(data: Readonly<Record<string, string>>, items: Items | undefined): (readonly [string, string])[] {
  if (items === undefined) return Object.entries(data);
  return items.map(({ key, path }) => [path, data[key] ?? assert.fail(`there is no key ${key}`)]);
}
