import { Compile } from 'typebox/compile';
import { parseYamlStrict } from '../../schema/index.ts';
import { isSameVendor } from '../../versions/index.ts';
import { refusal } from '../reading/context.ts';
import { type MemberKind, walkJson } from '../reading/walk-json.ts';
import { releaseDay } from '../release-day.ts';
import { type FormatContext, type FormatReader, folderOf } from './format.ts';
import { isRecord } from './json-fields.ts';
import { PlainCatalogSchema, type PlainEntry, PlainEntrySchema } from './plain-schema.ts';

const validator = Compile(PlainEntrySchema);

/** Reads our own catalogue, for servers of one maker. */
export function createPlainReader(manufacturer: string, { isYaml }: { readonly isYaml: boolean }): FormatReader {
  return isYaml
    ? (text, context) => readYaml(text, manufacturer, context)
    : (text, context) => readJson(text, manufacturer, context);
}

async function readJson(text: AsyncIterable<string>, manufacturer: string, context: FormatContext): Promise<void> {
  const head = new Map<string, unknown>();
  const value = (path: readonly (string | number)[], member: unknown): void => {
    const [name, at] = path;
    if (at === undefined) head.set(String(name), member);
    else if (typeof at === 'number') take(member, { manufacturer, at }, context);
    else throw refusal(context, 'malformed', { detail: noList });
  };
  const members = new Set<string>();
  const member = (name: string, kind: MemberKind): void => {
    checkMember(name, context);
    if (members.has(name)) throw refusal(context, 'malformed', { detail: `it has ${name} more than once` });
    if (name === 'firmware' && kind !== 'list') throw refusal(context, 'malformed', { detail: noList });
    members.add(name);
  };
  const paths = ['$.apiVersion', '$.kind', '$.firmware.*'];
  await walkJson(text, { paths, value, member }, context);
  checkHead(head, context);
  if (!members.has('firmware')) throw refusal(context, 'malformed', { detail: noList });
}

const noList = 'its firmware is no list';

/** A list under a name that nobody looks at would be taken for none. */
function checkMember(name: string, context: FormatContext): void {
  if (Object.hasOwn(PlainCatalogSchema.properties, name)) return;
  throw refusal(context, 'malformed', { detail: `there is no field ${JSON.stringify(name)}` });
}

/** All of it has to be in memory, so it may not be as large as JSON. */
async function readYaml(text: AsyncIterable<string>, manufacturer: string, context: FormatContext): Promise<void> {
  const { maxYamlBytes } = context.limits;
  let all = '';
  for await (const chunk of text) {
    all += chunk;
    if (all.length > maxYamlBytes) throw refusal(context, 'tooLarge', { limit: `${maxYamlBytes} bytes of YAML` });
  }
  if (hasSecondDocument(all)) throw refusal(context, 'malformed', { detail: 'it has more than one document' });
  const parsed = parseYamlStrict(all);
  if ('error' in parsed) throw refusal(context, 'malformed', { detail: parsed.error });
  if (parsed.strictError !== undefined) throw refusal(context, 'malformed', { detail: parsed.strictError });
  if (!isRecord(parsed.value)) throw refusal(context, 'malformed', { detail: 'it is no object' });
  const { firmware, ...head } = parsed.value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(head)) checkMember(name, context);
  checkHead(new Map(Object.entries(head)), context);
  if (!Array.isArray(firmware)) throw refusal(context, 'malformed', { detail: noList });
  for (const [at, entry] of firmware.entries()) take(entry, { manufacturer, at }, context);
}

/** Of several documents the first alone would be read. A line that begins so is nothing else in YAML. */
function hasSecondDocument(text: string): boolean {
  const [first, second] = text.matchAll(/^---(?=\s|$)/gm);
  if (first === undefined || second !== undefined) return first !== undefined;
  // The one mark of a catalogue has nothing in front of it but words for people.
  return /^[^\S\n]*[^\s#%]/m.test(text.slice(0, first.index).replace(/^\uFEFF/, ''));
}

function checkHead(head: ReadonlyMap<string, unknown>, context: FormatContext): void {
  if (head.get('apiVersion') === 'rackwright.dev/v1' && head.get('kind') === 'FirmwareCatalog') return;
  const detail = 'it does not say apiVersion: rackwright.dev/v1 and kind: FirmwareCatalog';
  throw refusal(context, 'malformed', { detail });
}

function take(
  value: unknown,
  about: { readonly manufacturer: string; readonly at: number },
  context: FormatContext,
): void {
  if (!validator.Check(value)) {
    const [first] = validator.Errors(value);
    const where = `firmware[${about.at}]${first?.instancePath.replaceAll('/', '.') ?? ''}`;
    throw refusal(context, 'badEntry', { entry: where, detail: problemOf(first) });
  }
  const entry: PlainEntry = value;
  if (!isSameVendor(entry.serverManufacturer ?? entry.manufacturer, about.manufacturer)) {
    context.skip();
    return;
  }
  const { component, manufacturer, version } = entry;
  const softwareIds = [...new Set(entry.softwareIds ?? [])].sort();
  const name = entry.name ?? component;
  context.add({
    component: component.trim().toLowerCase(),
    name,
    manufacturer,
    version,
    models: entry.models ?? [],
    softwareIds,
    line: softwareIds.length > 0 ? softwareIds.join(',') : name.toLowerCase(),
    image: { url: entry.url, base: context.baseUrl ?? folderOf(context.place) },
    sizeBytes: entry.size,
    digests: entry.checksums ?? [],
    releaseDate: releaseDay(entry.releaseDate),
    isRebootNeeded: entry.rebootNeeded,
  });
}

function problemOf(error: { readonly params: object; readonly message: string } | undefined): string {
  if (error === undefined) return 'it does not fit the schema';
  const { params } = error;
  if ('additionalProperties' in params) return `there is no field ${String(params.additionalProperties)}`;
  if ('requiredProperties' in params) return `${String(params.requiredProperties)} is missing`;
  return `it ${error.message}`;
}
