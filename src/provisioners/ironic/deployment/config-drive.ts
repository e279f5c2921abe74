import { parse } from 'yaml';
import type { HostConfig } from '../../provisioner.ts';
import { type JsonObject, objectOf } from '../client/index.ts';

/** What is put on the config drive, or why it cannot be. */
export type ConfigDrive =
  | { readonly kind: 'built'; readonly drive: JsonObject | undefined }
  | { readonly kind: 'invalid'; readonly message: string };

/** Builds the config drive that Ironic writes beside the image; without any data there is none. */
export function configDriveOf(
  config: HostConfig,
  host: { readonly namespace: string; readonly name: string; readonly id: string },
): ConfigDrive {
  const { userData, networkData, metaData } = config;
  if (userData === undefined && networkData === undefined && metaData === undefined) {
    return { kind: 'built', drive: undefined };
  }
  const network = readYaml('networkData', networkData);
  const meta = readYaml('metaData', metaData);
  if (typeof network === 'string') return { kind: 'invalid', message: network };
  if (typeof meta === 'string') return { kind: 'invalid', message: meta };
  const drive = {
    meta_data: { ...standardMetaData(host), ...meta },
    ...(userData === undefined ? {} : { user_data: userData }),
    ...(network === undefined ? {} : { network_data: network }),
  };
  return { kind: 'built', drive };
}

/** The network of the image that Ironic boots a host with, or why it cannot be read. */
export type NetworkData =
  | { readonly kind: 'read'; readonly data: JsonObject | undefined }
  | { readonly kind: 'invalid'; readonly message: string };

/** Reads network data that Ironic builds into the image that it boots. */
export function networkDataOf(text: string | undefined): NetworkData {
  const data = readYaml('preprovisioningNetworkData', text);
  return typeof data === 'string' ? { kind: 'invalid', message: data } : { kind: 'read', data };
}

/** What cloud-init and Metal3's templates expect to find. */
function standardMetaData(host: {
  readonly namespace: string;
  readonly name: string;
  readonly id: string;
}): JsonObject {
  return {
    uuid: host.id,
    'metal3-namespace': host.namespace,
    'metal3-name': host.name,
    'local-hostname': host.name,
    local_hostname: host.name,
    name: host.name,
  };
}

/** The parsed data, undefined where there is none, or in words why it cannot be parsed; never the data itself. */
function readYaml(what: string, text: string | undefined): JsonObject | string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    const value: unknown = parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return objectOf(value);
  } catch {
    // The parser's own words quote the data.
  }
  return `the ${what} is neither a YAML nor a JSON mapping; correct the secret that holds it`;
}
