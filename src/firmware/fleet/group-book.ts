import type { ServerFirmwareGroup } from '../../api/index.ts';
import { type CompiledSelector, compileSelector, labelPair, type ObjectLabels } from './selector.ts';
import type { ObjectTable } from './table.ts';

/** The groups of a fleet, ready to be asked which of them select something. */
export interface GroupBook {
  /** The selector of a group, which is read once for every spec. */
  selectorOf(group: ServerFirmwareGroup): CompiledSelector;
  /** The groups whose selectors select these labels, by name. */
  selecting(labels: ObjectLabels | undefined): readonly ServerFirmwareGroup[];
  /** One object for as long as no group comes, goes or changes its spec: what follows from specs alone lasts so long. */
  edition(): object;
}

interface Entry {
  readonly group: ServerFirmwareGroup;
  readonly name: string;
  /** What decides whom it selects and what it wants, whatever its status is. */
  readonly text: string;
  readonly selector: CompiledSelector;
}

interface Pages {
  readonly groups: readonly ServerFirmwareGroup[];
  readonly entries: ReadonlyMap<string, Entry>;
  /** Entries by the pairs of which whatever they select has one. */
  readonly byPair: ReadonlyMap<string, readonly Entry[]>;
  /** Entries that no such pair leads to. */
  readonly unpaired: readonly Entry[];
  readonly edition: object;
}

/** A book over a table of groups. It is written anew when the table has changed. */
export function createGroupBook(table: Pick<ObjectTable<ServerFirmwareGroup>, 'list'>): GroupBook {
  const strangers = new WeakMap<object, CompiledSelector>();
  let known: Pages = writePages([], undefined);
  const pages = (): Pages => {
    const groups = table.list();
    if (!isSameList(groups, known.groups)) known = writePages(groups, known);
    return known;
  };
  return {
    selectorOf(group) {
      const entry = pages().entries.get(nameOf(group));
      if (entry?.group === group) return entry.selector;
      const selector = strangers.get(group.spec) ?? compileSelector(group.spec.serverSelector);
      strangers.set(group.spec, selector);
      return selector;
    },
    selecting(labels = {}) {
      const { byPair, unpaired } = pages();
      const found = unpaired.filter(({ selector }) => selector.matches(labels));
      for (const [key, value] of Object.entries(labels)) {
        for (const entry of byPair.get(labelPair(key, value)) ?? []) {
          if (entry.selector.matches(labels)) found.push(entry);
        }
      }
      if (found.length > 1) found.sort((a, b) => (a.name < b.name ? -1 : 1));
      return found.map(({ group }) => group);
    },
    edition: () => pages().edition,
  };
}

function writePages(groups: readonly ServerFirmwareGroup[], before: Pages | undefined): Pages {
  const entries = new Map(
    groups.map((group) => [nameOf(group), writeEntry(group, before?.entries.get(nameOf(group)))]),
  );
  const byPair = new Map<string, Entry[]>();
  const unpaired: Entry[] = [];
  for (const entry of entries.values()) {
    if (entry.group.metadata.deletionTimestamp !== undefined) continue;
    if (entry.selector.pairs === undefined) unpaired.push(entry);
    for (const pair of entry.selector.pairs ?? []) {
      const found = byPair.get(pair);
      if (found === undefined) byPair.set(pair, [entry]);
      else found.push(entry);
    }
  }
  const isSameEdition =
    before?.entries.size === entries.size &&
    [...entries].every(([name, { text }]) => before.entries.get(name)?.text === text);
  return { groups, entries, byPair, unpaired, edition: isSameEdition ? before.edition : {} };
}

function writeEntry(group: ServerFirmwareGroup, before: Entry | undefined): Entry {
  if (before?.group === group) return before;
  const text = JSON.stringify([group.spec, group.metadata.deletionTimestamp]);
  const selector = before?.text === text ? before.selector : compileSelector(group.spec.serverSelector);
  return { group, name: nameOf(group), text, selector };
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one === other || (one.length === other.length && one.every((each, index) => each === other[index]));
}

function nameOf({ metadata }: ServerFirmwareGroup): string {
  return metadata.name ?? '';
}
