import type { ImageDigests } from './image-digests.ts';
import { type ImageHeader, readImageHeader } from './image-header.ts';

/** A file as it arrived at a BMC. */
export interface ImageFile {
  readonly head: Uint8Array;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** The BMC that looks at the file. */
export interface ImageReceiver {
  readonly vendor: string;
  readonly model: string;
  readonly maxImageSizeBytes?: number;
  readonly digests: ImageDigests;
}

/** What can be wrong with a file, whatever it is for. */
export type ImageFault = 'not-an-image' | 'wrong-model' | 'corrupt' | 'truncated' | 'too-large';

/** What a look at a file found: its header as far as it has one, and what is wrong with it. */
export interface ImageFinding {
  readonly header?: ImageHeader;
  readonly fault?: ImageFault;
}

/** Checks a file as far as it goes without knowing the slots it is for. An image without models fits every model. */
export function checkImage(file: ImageFile, receiver: ImageReceiver): ImageFinding {
  if (receiver.maxImageSizeBytes !== undefined && file.sizeBytes > receiver.maxImageSizeBytes)
    return { fault: 'too-large' };
  const read = readImageHeader(file.head);
  if (read === undefined) return { fault: 'not-an-image' };
  const { header, headerBytes } = read;
  const isForModel = header.models.length === 0 || header.models.includes(receiver.model);
  if (header.vendor.toLowerCase() !== receiver.vendor.toLowerCase() || !isForModel)
    return { header, fault: 'wrong-model' };
  const expectedBytes = headerBytes + header.payloadBytes;
  if (file.sizeBytes < expectedBytes) return { header, fault: 'truncated' };
  if (file.sizeBytes > expectedBytes) return { header, fault: 'corrupt' };
  const expected = receiver.digests.of(header);
  const isIntact = expected.payloadSha256 === header.payloadSha256 && expected.fileSha256 === file.sha256.toLowerCase();
  return isIntact ? { header } : { header, fault: 'corrupt' };
}
