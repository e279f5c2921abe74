import type { Crd, CrdCondition, CrdNames } from './crd-object.ts';
import { withCondition } from './crd-object.ts';

/** Names that other definitions of the same group hold. */
interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** The status a definition should have beside the others of its group. */
export function crdStatusOf(crd: Crd, others: Iterable<Crd>, time: string): NonNullable<Crd['status']> {
  const { names, conflict } = acceptNames(crd, takenBy(crd, others));
  const accepted: CrdCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  let conditions = withCondition(crd, accepted, time);
  const established = establishedAfter(crd, conflict === undefined);
  conditions = withCondition({ ...crd, status: { ...crd.status, conditions } }, established, time);
  const storage = crd.spec.versions.find((version) => version.storage)?.name ?? '';
  const stored = crd.status?.storedVersions ?? [];
  return {
    ...crd.status,
    conditions,
    acceptedNames: names,
    storedVersions: stored.includes(storage) ? stored : [...stored, storage],
  };
}

/** Once established, a definition stays so, whatever its names become. */
function establishedAfter(crd: Crd, isAccepted: boolean): CrdCondition {
  const type = 'Established';
  if (isAccepted || isEstablished(crd)) {
    const message = 'the initial names have been accepted';
    return { type, status: 'True', reason: 'InitialNamesAccepted', message };
  }
  return { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

/** True when the definition's objects are served. */
export function isEstablished(crd: Crd): boolean {
  return crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}

/** True when some of its names belong to another definition. */
export function hasNameConflict(crd: Crd): boolean {
  return crd.status?.conditions?.some(({ type, status }) => type === 'NamesAccepted' && status === 'False') ?? false;
}

function takenBy(crd: Crd, others: Iterable<Crd>): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.spec.group !== crd.spec.group || other.metadata.name === crd.metadata.name) continue;
    const { plural, singular, shortNames, kind, listKind } = other.status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...(shortNames ?? [])])
      if (name !== undefined && name !== '') resources.add(name);
    for (const name of [kind, listKind]) if (name !== undefined && name !== '') kinds.add(name);
  }
  return { resources, kinds };
}

interface Acceptance {
  readonly names: Partial<CrdNames>;
  readonly conflict: { reason: string; message: string } | undefined;
}

/** Takes each name that is free; of several conflicts the last one is told, as kube-apiserver does. */
function acceptNames(crd: Crd, taken: TakenNames): Acceptance {
  const wanted = crd.spec.names;
  const had: Partial<CrdNames> = { plural: '', kind: '', ...crd.status?.acceptedNames };
  const names: Partial<CrdNames> = { ...had };
  let conflict: Acceptance['conflict'];
  const isFree = (name: string, before: string | undefined, used: ReadonlySet<string>): boolean =>
    name === '' || name === before || !used.has(name);
  const take = (
    field: 'plural' | 'singular' | 'kind' | 'listKind',
    reason: string,
    used: ReadonlySet<string>,
  ): void => {
    const name = wanted[field] ?? '';
    if (isFree(name, had[field], used)) {
      if (name !== '') names[field] = name;
    } else conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
  };
  take('plural', 'PluralConflict', taken.resources);
  take('singular', 'SingularConflict', taken.resources);
  const short = wanted.shortNames ?? [];
  const clashing = short.filter((name) => !(had.shortNames ?? []).includes(name) && taken.resources.has(name));
  if (clashing.length > 0) {
    const texts = clashing.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
    conflict = { reason: 'ShortNamesConflict', message };
  } else if (short.length > 0) names.shortNames = short;
  else delete names.shortNames;
  take('kind', 'KindConflict', taken.kinds);
  take('listKind', 'ListKindConflict', taken.kinds);
  if (wanted.categories === undefined) delete names.categories;
  else names.categories = wanted.categories;
  return { names, conflict };
}
