import { componentIn, makerIn } from '../component-words.ts';
import { refusal } from '../reading/context.ts';
import { walkJson } from '../reading/walk-json.ts';
import { releaseDay } from '../release-day.ts';
import { type FormatContext, type FormatReader, folderOf } from './format.ts';
import { isRecord, textIn, textsIn } from './json-fields.ts';

/**
 * Reads the index of HPE's firmware repositories, `fwrepodata/fwrepo.json`: an object with one member for each file. It
 * has neither sizes nor checksums, and models only in the words of a description.
 */
export const readHpe: FormatReader = (text, context) => {
  const base = context.baseUrl ?? baseOf(context.place);
  const value = (path: readonly (string | number)[], member: unknown): void =>
    take({ fileName: String(path[0]), value: member, base }, context);
  return walkJson(text, { paths: ['$.*'], value }, context);
};

/** Files are beside the folder of the index. */
function baseOf(place: URL): URL {
  const folder = folderOf(place);
  return folder.pathname.endsWith('/fwrepodata/') ? new URL('..', folder) : folder;
}

interface Member {
  readonly fileName: string;
  readonly value: unknown;
  readonly base: URL;
}

function take({ fileName, value, base }: Member, context: FormatContext): void {
  if (!isRecord(value)) throw refusal(context, 'malformed', { detail: `${JSON.stringify(fileName)} is no object` });
  const description = textIn(value, 'description') ?? '';
  const component = componentIn(description);
  const softwareIds = textsIn(value, 'target').toSorted();
  context.add({
    component,
    name: description === '' ? fileName : description,
    manufacturer: makerIn(component, description) ?? 'HPE',
    version: textIn(value, 'version') ?? '',
    models: modelsIn(description),
    softwareIds,
    line: softwareIds.length > 0 ? softwareIds.join(',') : (textIn(value, 'deviceclass') ?? fileName),
    image: { path: fileName, base },
    sizeBytes: undefined,
    digests: [],
    releaseDate: releaseDay(textIn(value, 'date')),
    isRebootNeeded: yesNo(textIn(value, 'reboot_required') ?? textIn(value, 'reboot')),
  });
}

/** `HPE ProLiant DL360 Gen10 (U32) Servers`, `ProLiant DL380 Gen10/DL360 Gen10`. */
function modelsIn(description: string): readonly string[] {
  const found = description.matchAll(
    /\b((?:DL|ML|BL|XL|RL|SY|DX)\s?\d{2,4}[a-z]?)\s+(Gen\d{1,2}(?:\s+Plus)?(?:\s+v\d)?)\b/gi,
  );
  return [...new Set([...found].map(([, model = '', generation = '']) => `ProLiant ${model} ${generation}`))];
}

function yesNo(text: string | undefined): boolean | undefined {
  if (/^(?:yes|true|required)$/i.test(text ?? '')) return true;
  return /^(?:no|false)$/i.test(text ?? '') ? false : undefined;
}
