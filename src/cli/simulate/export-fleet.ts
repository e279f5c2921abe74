import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type DataCentre, fleetManifests } from '../../../simulator/index.ts';
import { makeDirectory } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { fleetNamespace } from './fleet-namespace.ts';

/** The names that exports give, with the names of racks, servers and switches as fleets have them. */
const exportedName = /^(?:server-r\d+-s\d+|switch-(?:tor-r\d+-[ab]|mgmt-r\d+))\.yaml$/;

/** Makes the folder for manifests, so that one that cannot be made is told before anything is started. */
export function prepareExport(folder: string): void {
  explainFailure(folder, () => makeDirectory(folder, { mode: 0o700 }));
}

/** How many files an export wrote, and how many of an earlier fleet it took away. */
export interface ExportedFiles {
  readonly written: number;
  readonly removed: number;
}

/**
 * Writes the manifests of a fleet, readable by their owner only. Files of an earlier export whose servers and switches this fleet
 * does not have are removed, because `apply -f` would bring them back; other files are left alone.
 */
export function exportFleet(dataCentre: DataCentre, folder: string): ExportedFiles {
  const files = fleetManifests({ namespace: fleetNamespace, bmcs: dataCentre.bmcs, fabric: dataCentre.fabric });
  let removed = 0;
  explainFailure(folder, () => {
    for (const name of readdirSync(folder)) {
      if (files.has(name) || !exportedName.test(name)) continue;
      rmSync(join(folder, name));
      removed++;
    }
    for (const [name, documents] of files) writeFileSync(join(folder, name), yamlOf(documents), { mode: 0o600 });
  });
  return { written: files.size, removed };
}

function yamlOf(documents: readonly object[]): string {
  return documents.map((each) => `---\n${stringify(each, { version: '1.1', aliasDuplicateObjects: false })}`).join('');
}

function explainFailure(folder: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CliError('failed', `--export: ${folder} cannot be written (${code ?? String(cause)})`, { cause });
  }
}
