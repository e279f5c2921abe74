import { partName } from '../../parts/index.ts';
import { type FirmwareDraft, longestSoftwareId, mostSoftwareIds } from '../../serverservice/index.ts';
import { readVendor } from '../../versions/index.ts';
import { invalid } from '../desk/check-request.ts';

/** An image that a discovery found. */
export interface FoundImage {
  readonly component: string;
  readonly manufacturer: string;
  readonly version: string;
  readonly models: readonly string[];
  /** The vendor's own ids of what it is for; empty where the catalogue does not tell. */
  readonly softwareIds?: readonly string[] | undefined;
  readonly fileName: string;
  readonly url: string;
  /** Empty where there is none. */
  readonly checksum: string;
}

/** What goes to the catalogue, and how many do not. */
export interface CatalogueEntries {
  readonly drafts: readonly FirmwareDraft[];
  /** Images without a checksum that are left out: nobody may install them. */
  readonly withoutChecksum: number;
}

const mostImages = 5000;
const longestText = 4096;

/** Images as the catalogue takes them. Throws `invalidRequest`. */
export function toCatalogue(
  images: readonly FoundImage[],
  { isChecksumOptional }: { readonly isChecksumOptional: boolean },
): CatalogueEntries {
  if (images.length > mostImages) throw invalid([`images has ${images.length} entries, more than ${mostImages}`]);
  const problems = images.flatMap((one, at) => problemsOf(one).map((text) => `images[${at}]: ${text}`));
  if (problems.length > 0) throw invalid(problems);
  const usable = images.filter(({ checksum }) => isChecksumOptional || checksum.trim() !== '');
  return { drafts: usable.map(toDraft), withoutChecksum: images.length - usable.length };
}

function toDraft(image: FoundImage): FirmwareDraft {
  const { version, models, softwareIds = [], fileName, url, checksum } = image;
  const component = partName(image.component);
  const { key } = readVendor(image.manufacturer);
  const vendor = key === '' ? image.manufacturer : key;
  const checksums = checksum.trim() === '' ? [] : [checksum];
  return { component, vendor, version, models, softwareIds, filename: fileName, repositoryUrl: url, checksums };
}

function problemsOf(image: FoundImage): string[] {
  const { component, manufacturer, version, fileName, url, models, softwareIds = [] } = image;
  const texts = { component, manufacturer, version, fileName, url };
  const problems = Object.entries(texts).flatMap(([name, text]) =>
    text.trim() === '' || text.length > longestText ? [`${name} is empty or too long`] : [],
  );
  if (models.length > 1000) problems.push(`it is for ${models.length} models`);
  if (softwareIds.length > mostSoftwareIds) problems.push(`it has ${softwareIds.length} software ids`);
  if (softwareIds.some((id) => id.length > longestSoftwareId)) problems.push('a software id is too long');
  // File names become parts of paths.
  if (/[/\\\p{C}]/u.test(fileName) || fileName === '..' || fileName === '.') problems.push('fileName is no plain name');
  const address = URL.parse(url);
  if (address === null) problems.push('url is no URL');
  else if (address.username !== '' || address.password !== '') problems.push('url has credentials in it');
  return problems;
}
