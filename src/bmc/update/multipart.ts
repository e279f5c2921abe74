import type { JsonBody } from '../bmc.ts';
import { type ImageBody, imageBody, type OpenedImage } from './image.ts';
import type { SendHooks } from './send-hooks.ts';

/**
 * The body of a push to MultipartHttpPushUri: the parameters first, then the file, as the standard orders them and some
 * BMCs insist. Its length is known beforehand, since the iDRAC refuses chunks.
 */
export function multipartBody(
  image: OpenedImage,
  about: { readonly parameters: JsonBody; readonly boundary: string; readonly onWhole?: SendHooks['onWhole'] },
): ImageBody {
  const { parameters, boundary, onWhole } = about;
  const head = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="UpdateParameters"',
    'Content-Type: application/json',
    '',
    JSON.stringify(parameters),
    `--${boundary}`,
    `Content-Disposition: form-data; name="UpdateFile"; filename="${image.name}"`,
    'Content-Type: application/octet-stream',
    '',
    '',
  ].join('\r\n');
  return imageBody(image, {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head,
    tail: `\r\n--${boundary}--\r\n`,
    onWhole,
  });
}

/** A boundary that no image contains by chance. */
export function makeBoundary(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  return `rackwright-${digits.join('')}`;
}
