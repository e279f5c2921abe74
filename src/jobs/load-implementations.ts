import { createRequire } from 'node:module';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { JobError } from './errors.ts';
import { isSameClaim, type JobImplementation } from './implementations.ts';
import { type ImportPackage, importPackage as importByName, isPackageName } from './import-package.ts';
import { jobTypes } from './job-type.ts';

/** What packages have that do jobs of manufacturers or of models. */
export interface ImplementationChoice {
  /** Names of packages, or absolute paths of modules and of folders with a package. */
  readonly names: readonly string[];
  /** How they are loaded; for tests. */
  readonly importPackage?: ImportPackage;
}

/**
 * Loads what does jobs besides what is built in. Throws `unknownImplementation` for what cannot be loaded,
 * `badImplementation` for what does no jobs, and `severalImplementations` where two are for the same jobs.
 */
export async function loadImplementations(choice: ImplementationChoice): Promise<readonly JobImplementation[]> {
  const names = [...new Set(choice.names.map((name) => name.trim()).filter((name) => name !== ''))];
  const loaded: { readonly name: string; readonly found: JobImplementation }[] = [];
  for (const name of names) {
    for (const found of await implementationsOf(name, choice.importPackage ?? importByName)) {
      const rival = loaded.find((other) => isSameClaim(other.found, found));
      if (rival !== undefined) throw several(name, rival.name, found);
      loaded.push({ name, found });
    }
  }
  return loaded.map(({ found }) => found);
}

function several(name: string, other: string, { type, manufacturer, model }: JobImplementation): JobError {
  const whose = [manufacturer ?? 'all servers', model ?? ''].join(' ').trim();
  return new JobError('severalImplementations', { name: other, other: name, type, whose });
}

async function implementationsOf(name: string, load: ImportPackage): Promise<readonly JobImplementation[]> {
  const { jobImplementations: list } = Object(await importModule(name, load)) as { jobImplementations?: unknown };
  if (!Array.isArray(list) || list.length === 0) {
    throw new JobError('badImplementation', { name, detail: 'it exports no list `jobImplementations`' });
  }
  for (const [at, one] of list.entries()) {
    const problem = problemOf(Object(one) as Claimed);
    if (problem === undefined) continue;
    throw new JobError('badImplementation', { name, detail: `jobImplementations[${at}]: ${problem}` });
  }
  return list as JobImplementation[];
}

async function importModule(name: string, load: ImportPackage): Promise<unknown> {
  const isPath = isAbsolute(name);
  if (!isPath && !isPackageName(name)) {
    throw new JobError('unknownImplementation', { name, detail: 'it is neither the name of a package nor a path' });
  }
  try {
    return await load(isPath ? addressOf(name) : name);
  } catch (cause) {
    const [detail = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw new JobError('unknownImplementation', { name, detail }, { cause });
  }
}

/** Of a folder it is what the `main` of its package.json says, which `import` alone does not look at. */
function addressOf(path: string): string {
  return pathToFileURL(createRequire(import.meta.url).resolve(path)).href;
}

type Claimed = Readonly<Record<'type' | 'manufacturer' | 'model' | 'run', unknown>>;

function problemOf({ type, manufacturer, model, run }: Claimed): string | undefined {
  if (!jobTypes.some((known) => known === type)) return `its type is none of ${jobTypes.join(', ')}`;
  if (!isNameOrNothing(manufacturer)) return 'its manufacturer is no name';
  if (!isNameOrNothing(model)) return 'its model is no name';
  if (model !== undefined && manufacturer === undefined) return 'it has a model, and no manufacturer';
  return typeof run === 'function' ? undefined : 'it has no function run';
}

function isNameOrNothing(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() !== '');
}
