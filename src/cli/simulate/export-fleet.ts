import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type DataCentre, fleetManifests } from '../../../simulator/index.ts';
import { CliError } from '../errors.ts';
import { fleetNamespace } from './fleet-namespace.ts';

/** Makes the folder for manifests, so that one that cannot be made is told before anything is started. */
export function prepareExport(folder: string): void {
  explainFailure(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
}

/** Writes the manifests of a fleet, readable by their owner only; returns how many files they are. */
export function exportFleet(dataCentre: DataCentre, folder: string): number {
  const files = fleetManifests({ namespace: fleetNamespace, bmcs: dataCentre.bmcs, fabric: dataCentre.fabric });
  explainFailure(folder, () => {
    for (const [name, documents] of files) writeFileSync(join(folder, name), yamlOf(documents), { mode: 0o600 });
  });
  return files.size;
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
