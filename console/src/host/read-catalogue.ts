import { everyRecord } from '../api/rest-pages.ts';
import { readVendor } from '../firmware/parts.ts';
import { type CatalogueEntry, catalogueWord, type InstalledPart } from './part-images.ts';

/** Whose firmware is looked for. */
export interface CatalogueWish {
  readonly vendor: string;
  readonly model: string;
  readonly installed: readonly InstalledPart[];
}

const path = '/api/v1/server-component-firmwares';

/** Every server has one of these: their firmware goes by its model, and that of another model is none for it. */
const ofTheServer: readonly string[] = ['bios', 'bmc', 'cpld'];

/**
 * What the catalogue has for a server and its parts. Firmware of a part may be filed under its own name or software id
 * as the catalogue spells them: the version that is installed leads there.
 */
export async function readCatalogue(
  { vendor, model, installed }: CatalogueWish,
  read: typeof everyRecord = everyRecord,
): Promise<readonly CatalogueEntry[]> {
  const found = new Map<string, CatalogueEntry>();
  const take = async (query: Readonly<Record<string, string>>): Promise<readonly CatalogueEntry[]> => {
    const entries = await read<CatalogueEntry>(path, query);
    for (const entry of entries) found.set(entry.uuid, entry);
    return entries;
  };
  // Parts are published by their own makers.
  await take({ model });
  const asked = new Set<string>();
  for (const { component: name, version, manufacturer = '' } of installed) {
    const component = catalogueWord(name);
    if (version === '' || ofTheServer.includes(component)) continue;
    const isKnown = [...found.values()].some((entry) => entry.component === component && entry.version === version);
    if (isKnown) continue;
    const makers = [vendor, manufacturer].map((maker) => readVendor(maker).key).filter((key) => key !== '');
    for (const maker of new Set(makers)) {
      const same = await take({ component, version, vendor: maker });
      for (const one of new Set(same.flatMap((entry) => entry.model ?? []))) {
        const key = `${component} ${maker} ${one}`;
        if (!asked.has(key)) await take({ component, model: one, vendor: maker });
        asked.add(key);
      }
    }
  }
  return [...found.values()];
}
