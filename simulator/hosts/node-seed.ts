import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../redfish/route.ts';

/** How a deployed system joins a cluster. Its token is never logged. */
export interface NodeSeed {
  readonly server: string;
  readonly caPem?: string;
  readonly token: string;
  readonly name: string;
  /** The uid of its host, which the node is labelled with. */
  readonly uuid: string;
}

/** Where a kubelet looks for what it joins with. */
const bootstrapFile = '/etc/kubernetes/bootstrap-kubelet.conf';

/**
 * Reads how to join from a config drive: its user data are a cloud-config that writes the kubelet's bootstrap kubeconfig,
 * and its meta data name the node. Undefined where they say nothing of the kind.
 */
export function nodeSeedIn(drive: JsonObject): NodeSeed | undefined {
  const meta = objectOf(drive.meta_data);
  const files = objectOf(yamlIn(textOf(drive.user_data))).write_files;
  const file = listOf(files)
    .map(objectOf)
    .find(({ path }) => path === bootstrapFile);
  const config = objectOf(yamlIn(contentOf(file)));
  const cluster = objectOf(objectOf(listOf(config.clusters)[0]).cluster);
  const user = objectOf(objectOf(listOf(config.users)[0]).user);
  const [server, token] = [textOf(cluster.server), textOf(user.token)];
  const [name, uuid] = [textOf(meta['local-hostname']) || textOf(meta.name), textOf(meta.uuid)];
  if (server === '' || token === '' || name === '' || uuid === '') return undefined;
  const caPem = Buffer.from(textOf(cluster['certificate-authority-data']), 'base64').toString('utf8');
  return { server, token, name, uuid, ...(caPem === '' ? {} : { caPem }) };
}

function contentOf(file: JsonObject | undefined): string {
  const content = textOf(file?.content);
  const isEncoded = ['b64', 'base64'].includes(textOf(file?.encoding));
  return isEncoded ? Buffer.from(content, 'base64').toString('utf8') : content;
}

function yamlIn(text: string): JsonValue | undefined {
  try {
    return parse(text) as JsonValue;
  } catch {
    // Whatever it is, it is no cloud-config.
    return undefined;
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
