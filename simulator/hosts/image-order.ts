import type { JsonObject, JsonValue } from '../redfish/route.ts';
import { type NodeSeed, nodeSeedIn } from './node-seed.ts';

/** The image that is asked for by `standby.prepare_image` or by the step `write_image`. */
export interface ImageOrder {
  readonly url: string;
  readonly hashAlgorithm: string | undefined;
  readonly hashValue: string | undefined;
  readonly hasConfigDrive: boolean;
  /** How what was deployed joins a cluster, where its config drive says so. */
  readonly node?: NodeSeed | undefined;
}

/** Reads an order from the parameters of a command; throws when it names no image, or none that could be checked. */
export function imageOrder(params: JsonObject): ImageOrder {
  const info = asObject(params.image_info);
  const [url] = Array.isArray(info.urls) ? info.urls : [];
  if (typeof url !== 'string') throw new Error('image_info has no url');
  const plain = asText(info.checksum);
  return {
    url,
    hashAlgorithm: asText(info.os_hash_algo) ?? algorithmOf(plain),
    hashValue: asText(info.os_hash_value) ?? plain,
    hasConfigDrive: hasContent(params.configdrive) || hasContent(info.configdrive),
    node: nodeSeedIn(asObject(params.configdrive)),
  };
}

function hasContent(drive: JsonValue | undefined): boolean {
  return asText(drive) !== undefined || Object.keys(asObject(drive)).length > 0;
}

/** A checksum without its algorithm: its length tells. */
export function algorithmOf(checksum: string | undefined): string | undefined {
  return { 32: 'md5', 64: 'sha256', 128: 'sha512' }[checksum?.length ?? 0];
}

/** The value if it is an object, else an empty one. */
export function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** The value if it is a text that says something. */
export function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
