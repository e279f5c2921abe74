import { componentIn, makerIn } from '../component-words.ts';
import { refusal } from '../reading/context.ts';
import { walkJson } from '../reading/walk-json.ts';
import { releaseDay } from '../release-day.ts';
import { type EntryDraft, type FormatContext, type FormatReader, folderOf } from './format.ts';
import { isRecord, type JsonRecord, recordIn, recordsIn, textIn, textsIn } from './json-fields.ts';
import { componentOfSubject, type LenovoFixId, readFixId } from './lenovo-fix-id.ts';

/**
 * Reads `*_index.json` of Lenovo's packages and bundles: `Updates`, each with its payload and what versions are in it,
 * and, at the end, the machine types that all of them are for. Checksums are in other files, whose form is not public.
 */
export const readLenovoIndex: FormatReader = async (text, context) => {
  const drafts: EntryDraft[] = [];
  let bundle: JsonRecord = {};
  const value = (path: readonly (string | number)[], member: unknown): void => {
    if (path[0] === 'Oem') bundle = isRecord(member) ? member : {};
    else if (!isRecord(member)) throw refusal(context, 'malformed', { detail: 'one of its Updates is no object' });
    else drafts.push(...draftsOf(member, context));
    // What they are for is only told at the end, so they have to be kept until then.
    if (drafts.length <= context.limits.maxMatches) return;
    throw refusal(context, 'tooLarge', { limit: `${context.limits.maxMatches} updates in one index` });
  };
  await walkJson(text, { paths: ['$.Updates.*', '$.Oem'], value }, context);
  const types = textsIn(bundle, 'ApplicableMachineTypes');
  const date = releaseDay(textIn(bundle, 'ReleaseDate'));
  for (const draft of drafts) {
    const models = draft.models.length > 0 ? draft.models : types;
    context.add({ ...draft, models, releaseDate: draft.releaseDate ?? date });
  }
};

function draftsOf(update: JsonRecord, context: FormatContext): readonly EntryDraft[] {
  const oem = recordIn(update, 'Oem') ?? {};
  const payload = textIn(update, 'Payload') ?? '';
  const inventory = recordsIn(oem, 'Inventory');
  const versions = new Map<string, string[]>();
  for (const each of inventory) {
    const version = textIn(each, 'Version');
    if (version === undefined) continue;
    versions.set(version, [...(versions.get(version) ?? []), ...textsIn(each, 'SoftwareId')]);
  }
  const fix = readFixId(textIn(recordIn(oem, 'FixId') ?? {}, 'Name') ?? payload);
  if (fix !== undefined && fix.kind !== 'fw') {
    context.skip();
    return [];
  }
  if (versions.size === 0 && fix !== undefined && fix.version !== '') versions.set(fix.version, []);
  return [...versions].map(([version, ids]) => draftOf({ version, ids, payload, fix, oem }, context));
}

interface Found {
  readonly version: string;
  readonly ids: readonly string[];
  readonly payload: string;
  readonly fix: LenovoFixId | undefined;
  readonly oem: JsonRecord;
}

function draftOf({ version, ids, payload, fix, oem }: Found, context: FormatContext): EntryDraft {
  const described = textIn(oem, 'Description') ?? '';
  const component = componentOfSubject(fix?.subject ?? '') ?? componentIn(`${described} ${fix?.subject ?? ''}`);
  const softwareIds = [...new Set(ids)].sort();
  const maker = makerIn(component, `${fix?.maker ?? ''} ${described}`);
  return {
    component,
    name: described === '' ? payload.slice(payload.lastIndexOf('/') + 1) : described,
    manufacturer: maker ?? 'Lenovo',
    version,
    models: textsIn(oem, 'ApplicableMachineTypes'),
    softwareIds,
    line: softwareIds.length > 0 ? softwareIds.join(',') : `${component} ${fix?.maker ?? ''} ${fix?.subject ?? ''}`,
    image: { path: payload, base: context.baseUrl ?? folderOf(context.place) },
    sizeBytes: undefined,
    digests: [],
    releaseDate: releaseDay(textIn(oem, 'ReleaseDate')),
    isRebootNeeded: undefined,
  };
}
