import { partName } from '../../flasher/index.ts';
import type { FirmwareDraft } from '../../serverservice/index.ts';
import { readVendor } from '../../versions/index.ts';
import { invalid } from '../desk/check-request.ts';

/** An image that a discovery found. */
export interface FoundImage {
  readonly component: string;
  readonly manufacturer: string;
  readonly version: string;
  readonly models: readonly string[];
  readonly fileName: string;
  readonly url: string;
  /** Empty where there is none. */
  readonly checksum: string;
}

/** What goes to the catalogue, and how many do not. */
export interface CatalogueEntries {
  readonly drafts: readonly FirmwareDraft[];
  /** Images without a checksum: nobody may install them. */
  readonly withoutChecksum: number;
}

const mostImages = 5000;
const longestText = 4096;

/** Images as the catalogue takes them. Throws `invalidRequest`. */
export function toCatalogue(images: readonly FoundImage[]): CatalogueEntries {
  if (images.length > mostImages) throw invalid([`images has ${images.length} entries, more than ${mostImages}`]);
  const problems = images.flatMap((one, at) => problemsOf(one).map((text) => `images[${at}]: ${text}`));
  if (problems.length > 0) throw invalid(problems);
  const usable = images.filter(({ checksum }) => checksum.trim() !== '');
  return { drafts: usable.map(toDraft), withoutChecksum: images.length - usable.length };
}

function toDraft(image: FoundImage): FirmwareDraft {
  const { version, models, fileName, url, checksum } = image;
  const component = partName(image.component);
  const { key } = readVendor(image.manufacturer);
  const vendor = key === '' ? image.manufacturer : key;
  return { component, vendor, version, models, filename: fileName, repositoryUrl: url, checksums: [checksum] };
}

function problemsOf({ component, manufacturer, version, fileName, url, models }: FoundImage): string[] {
  const texts = { component, manufacturer, version, fileName, url };
  const problems = Object.entries(texts).flatMap(([name, text]) =>
    text.trim() === '' || text.length > longestText ? [`${name} is empty or too long`] : [],
  );
  if (models.length > 1000) problems.push(`it is for ${models.length} models`);
  // File names become parts of paths.
  if (/[/\\\p{C}]/u.test(fileName) || fileName === '..' || fileName === '.') problems.push('fileName is no plain name');
  const address = URL.parse(url);
  if (address === null) problems.push('url is no URL');
  else if (address.username !== '' || address.password !== '') problems.push('url has credentials in it');
  return problems;
}
