import { componentTypes } from './component-type.ts';

/** What an image says of itself in its header. */
export interface ImageHeader {
  readonly vendor: string;
  readonly models: readonly string[];
  readonly softwareId: string;
  readonly component: string;
  readonly version: string;
  readonly payloadBytes: number;
  readonly payloadSha256: string;
}

/** The first line of every image the simulator understands. */
export const imageMagic = 'RACKWRIGHT-FIRMWARE 1\n';

/** How much of a file has to be read to find its header. */
export const imageHeadBytes = 4096;

/** The header of an image and how many bytes of the file it takes. */
export interface ReadHeader {
  readonly header: ImageHeader;
  readonly headerBytes: number;
}

/** The bytes of a header: the magic line, and the header as one line of JSON. */
export function formatImageHeader(header: ImageHeader): Buffer {
  const { vendor, models, softwareId, component, version, payloadBytes, payloadSha256 } = header;
  const fields = { vendor, models, softwareId, component, version, payloadBytes, payloadSha256 };
  return Buffer.from(`${imageMagic}${JSON.stringify(fields)}\n`);
}

/** Reads the header from the first bytes of a file; undefined when it is no image. */
export function readImageHeader(head: Uint8Array): ReadHeader | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (bytes.toString('latin1', 0, imageMagic.length) !== imageMagic) return undefined;
  const end = bytes.indexOf(0x0a, imageMagic.length);
  if (end < 0) return undefined;
  const header = parseHeader(bytes.toString('utf8', imageMagic.length, end));
  return header === undefined ? undefined : { header, headerBytes: end + 1 };
}

function parseHeader(line: string): ImageHeader | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    // A damaged header line makes the file no image; the caller says so.
    return undefined;
  }
  return isHeader(fields) ? fields : undefined;
}

function isHeader(value: unknown): value is ImageHeader {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Partial<Record<keyof ImageHeader, unknown>>;
  return (
    typeof fields.vendor === 'string' &&
    Array.isArray(fields.models) &&
    fields.models.every((model) => typeof model === 'string') &&
    typeof fields.softwareId === 'string' &&
    componentTypes.some((component) => component === fields.component) &&
    typeof fields.version === 'string' &&
    Number.isSafeInteger(fields.payloadBytes) &&
    Number(fields.payloadBytes) >= 0 &&
    typeof fields.payloadSha256 === 'string'
  );
}
