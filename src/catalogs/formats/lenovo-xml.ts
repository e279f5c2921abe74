import { componentIn, makerIn } from '../component-words.ts';
import { refusal } from '../reading/context.ts';
import { walkXml } from '../reading/walk-xml.ts';
import { releaseDay } from '../release-day.ts';
import { type FormatContext, type FormatReader, folderOf } from './format.ts';
import { componentOfSubject, longestSearch, readFixId } from './lenovo-fix-id.ts';

/**
 * Reads the XML file that comes with each of Lenovo's packages for older servers: `PROPERTY` and `PROPERTY.ARRAY` with
 * names and values. Which properties there are is only known from Lenovo's own published scripts.
 */
export const readLenovoXml: FormatReader = async (text, context) => {
  const properties = new Map<string, string[]>();
  let name: string | undefined;
  let count = 0;
  await walkXml(
    text,
    {
      open(element, attributes) {
        if (element === 'PROPERTY' || element === 'PROPERTY.ARRAY') name = attributes.NAME ?? '';
      },
      close(element, value) {
        if (element === 'PROPERTY' || element === 'PROPERTY.ARRAY') name = undefined;
        if (element !== 'VALUE' || name === undefined) return;
        count += 1;
        if (count > context.limits.maxNames) {
          throw refusal(context, 'tooLarge', { limit: `${context.limits.maxNames} properties in one file` });
        }
        const key = name.toLowerCase();
        const values = properties.get(key) ?? [];
        values.push(value.trim());
        properties.set(key, values);
      },
    },
    context,
  );
  take(properties, context);
};

function take(properties: ReadonlyMap<string, readonly string[]>, context: FormatContext): void {
  const one = (key: string): string => properties.get(key)?.find((value) => value !== '') ?? '';
  const payload = one('payload');
  const fix = readFixId(one('xmlfilename') || payload);
  if (fix !== undefined && fix.kind !== 'fw') {
    context.skip();
    return;
  }
  if (payload === '') throw refusal(context, 'malformed', { detail: 'it has no property payload' });
  const described = one('description') || one('name');
  const component = componentOfSubject(fix?.subject ?? '') ?? componentIn(`${one('category')} ${described}`);
  context.add({
    component,
    name: described || payload,
    manufacturer: makerIn(component, `${fix?.maker ?? ''} ${described}`) ?? 'Lenovo',
    version: versionOf(one('version'), one('buildnumber'), fix?.version ?? ''),
    models: machineTypes(properties.get('applicablemachinetypes') ?? []),
    softwareIds: [],
    line: [component, fix?.maker, fix?.subject, one('buildnumber').slice(0, 3).toLowerCase()].join(' '),
    image: { path: payload, base: context.baseUrl ?? folderOf(context.place) },
    sizeBytes: undefined,
    digests: [],
    releaseDate: releaseDay(one('releasedate')),
    isRebootNeeded: undefined,
  });
}

/** Inventories write build and version together: `AFBT58B-5.90`. */
function versionOf(version: string, build: string, fromName: string): string {
  if (fromName !== '') return fromName;
  // Of a text without end only its beginning is searched: the search takes the square of its length.
  const number = /\d+(?:\.\d+)+[0-9a-z]*/i.exec(version.slice(0, longestSearch))?.[0] ?? version;
  return /^[a-z][0-9a-z]{6}$/i.test(build) && number !== '' ? `${build.toUpperCase()}-${number}` : number;
}

/** `[7X05, 7X06] ThinkSystem SR650`, `[7X06]`. */
function machineTypes(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => {
    const types = [...value.matchAll(/\[([^[\]]*)\]/g)].flatMap(([, list = '']) => list.split(/[,\s]+/));
    const name = value.replaceAll(/\[[^[\]]*\]/g, '').trim();
    return [...types.filter((type) => type !== ''), ...(name === '' ? [] : [name])];
  });
}
