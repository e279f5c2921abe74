import { componentIn, makerIn } from '../component-words.ts';
import { checkNames, refusal } from '../reading/context.ts';
import { type MemberKind, walkJson } from '../reading/walk-json.ts';
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
    else for (const draft of draftsOf(member, context)) drafts.push(draft);
    // What they are for is only told at the end, so they have to be kept until then.
    if (drafts.length <= context.limits.maxMatches) return;
    throw refusal(context, 'tooLarge', { limit: `${context.limits.maxMatches} updates in one index` });
  };
  let hasUpdates = false;
  const member = (name: string, kind: MemberKind): void => {
    if (name === 'Updates') hasUpdates = kind === 'list';
  };
  await walkJson(text, { paths: ['$.Updates.*', '$.Oem'], value, member }, context);
  if (!hasUpdates) throw refusal(context, 'malformed', { detail: 'it has no list Updates' });
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
  const fix = readFixId(textIn(recordIn(oem, 'FixId') ?? {}, 'Name') ?? payload);
  if (fix !== undefined && fix.kind !== 'fw') {
    context.skip();
    return [];
  }
  const versions = versionsIn(oem, context);
  if (versions.size === 0 && fix !== undefined && fix.version !== '') versions.set(fix.version, []);
  const common = describe({ payload, fix, oem }, context);
  return [...versions].map(([version, ids]) => {
    const softwareIds = [...new Set(ids)].sort();
    return { ...common, version, softwareIds, line: softwareIds.length > 0 ? softwareIds.join(',') : common.line };
  });
}

/** The versions of an update, each with the ids of what it is for. */
function versionsIn(oem: JsonRecord, context: FormatContext): Map<string, string[]> {
  const versions = new Map<string, string[]>();
  let count = 0;
  for (const each of recordsIn(oem, 'Inventory')) {
    const version = textIn(each, 'Version');
    if (version === undefined) continue;
    const ids = versions.get(version) ?? [];
    versions.set(version, ids);
    const more = textsIn(each, 'SoftwareId');
    for (const id of more) ids.push(id);
    count += 1 + more.length;
    checkNames(count, context);
  }
  return versions;
}

interface Found {
  readonly payload: string;
  readonly fix: LenovoFixId | undefined;
  readonly oem: JsonRecord;
}

/** What is the same for all versions of an update. It is made once: there may be thousands of them. */
function describe({ payload, fix, oem }: Found, context: FormatContext): Omit<EntryDraft, 'version' | 'softwareIds'> {
  const described = textIn(oem, 'Description') ?? '';
  const component = componentOfSubject(fix?.subject ?? '') ?? componentIn(`${described} ${fix?.subject ?? ''}`);
  return {
    component,
    name: described === '' ? payload.slice(payload.lastIndexOf('/') + 1) : described,
    manufacturer: makerIn(component, `${fix?.maker ?? ''} ${described}`) ?? 'Lenovo',
    models: textsIn(oem, 'ApplicableMachineTypes'),
    line: `${component} ${fix?.maker ?? ''} ${fix?.subject ?? ''}`,
    image: { path: payload, base: context.baseUrl ?? folderOf(context.place) },
    sizeBytes: undefined,
    digests: [],
    releaseDate: releaseDay(textIn(oem, 'ReleaseDate')),
    isRebootNeeded: undefined,
  };
}
