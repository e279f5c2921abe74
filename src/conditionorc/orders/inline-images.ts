import { isDeepStrictEqual } from 'node:util';
import { type AccessNeed, restResources } from '../../rest/index.ts';

/** Who writes firmware decides what is published; who gives an image whole decides the same for one server. */
export const imageRight: AccessNeed = { verb: 'create', resource: restResources.firmware };

/** Parameters that name what is fetched by its URL. */
const addresses = ['image_uri', 'bios_config_url'];

/**
 * Whether parameters say by themselves which image, medium or settings are written and where they are, instead of naming what the
 * catalogue has. What was there before is none of it.
 */
export function hasInlineImages(
  parameters: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>> = {},
): boolean {
  const { firmwares } = parameters;
  const known = Array.isArray(before.firmwares) ? before.firmwares : [];
  const isGiven = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && !known.some((each) => isDeepStrictEqual(each, one));
  if (Array.isArray(firmwares) ? firmwares.some(isGiven) : isGiven(firmwares)) return true;
  return addresses.some((name) => (parameters[name] ?? before[name]) !== before[name]);
}
