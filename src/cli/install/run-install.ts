import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import {
  type AnyKubeObject,
  definitionsRef,
  isNotFound,
  KubeError,
  type KubeObject,
  type ResourceRef,
  untilServed,
} from '../../kube/index.ts';
import {
  home,
  type InstalledObject,
  mergeValues,
  objectsOf,
  readValues,
  setValue,
  type Values,
  ValuesError,
} from '../../manifests/index.ts';
import { isJsonObject, parseYamlStrict } from '../../schema/index.ts';
import { CliError, usageError } from '../errors.ts';
import { throwAll } from '../objects/faults.ts';
import { type Session, withSession } from '../objects/session.ts';
import type { Terminal } from '../terminal.ts';
import { packageVersion } from '../version.ts';
import type { InstallFlags, InstallWay } from './commands.ts';

/** Prints, checks or makes the objects of an installation. */
export async function runInstall(flags: InstallFlags, way: InstallWay, terminal: Terminal): Promise<void> {
  const objects = objectsOf(valuesOf(flags, terminal));
  if (way === 'print') {
    terminal.out(objects.map((object) => `---\n${stringify(object, { version: '1.1', lineWidth: 0 })}`).join(''));
    return;
  }
  await withSession(flags, terminal, (session) => applyAll(objects, session, { isDryRun: way === 'check', terminal }));
}

function valuesOf({ values: files = [], set = [] }: InstallFlags, terminal: Terminal): Values {
  try {
    const given = files.map((file) => readFile(file, terminal)).reduce(mergeValues, {});
    return readValues(set.reduce(setValue, given as Record<string, unknown>), packageVersion());
  } catch (error) {
    if (error instanceof ValuesError) throw usageError(error.message);
    throw error;
  }
}

function readFile(file: string, { cwd }: Terminal): unknown {
  const path = resolve(cwd, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CliError('usage', `--values: ${path} cannot be read`, { cause });
  }
  const parsed = parseYamlStrict(text);
  if ('error' in parsed) throw usageError(`--values: ${path}: ${parsed.error}`);
  if (parsed.value === null) return {};
  if (!isJsonObject(parsed.value)) throw usageError(`--values: ${path} holds no values`);
  return parsed.value;
}

interface Applying {
  readonly isDryRun: boolean;
  readonly terminal: Terminal;
}

async function applyAll(objects: readonly InstalledObject[], session: Session, how: Applying): Promise<void> {
  const { terminal, isDryRun } = how;
  const others = await foreignDefinitions(session);
  const missing = isDryRun ? await missingNamespaces(objects, session) : new Set<string>();
  const faults: Error[] = [];
  const made: string[] = [];
  for (const [index, object] of objects.entries()) {
    if (object.kind === 'CustomResourceDefinition' && others.has(object.metadata.name)) {
      terminal.out(`${nameOf(object)} was installed by somebody else and is left as it is\n`);
      continue;
    }
    try {
      await apply(object, session, { ...how, missing });
      terminal.out(`${nameOf(object)} ${isDryRun ? 'is accepted (server dry run)' : 'applied'}\n`);
      if (object.kind === 'CustomResourceDefinition') made.push(object.metadata.name);
    } catch (error) {
      if (!(error instanceof KubeError) || error.code === 0) throw error;
      faults.push(new CliError('failed', `${nameOf(object)}: ${error.message} (${error.reason})`, { cause: error }));
    }
    const isLastDefinition = objects[index + 1]?.kind !== 'CustomResourceDefinition';
    if (object.kind === 'CustomResourceDefinition' && isLastDefinition && !isDryRun)
      await wait(session, made, terminal);
  }
  throwAll(faults, terminal);
}

async function apply(
  object: InstalledObject,
  { client, mapper }: Session,
  { isDryRun, missing }: Applying & { readonly missing: ReadonlySet<string> },
): Promise<void> {
  const resource = await mapper.byKind(object.apiVersion, object.kind);
  const { namespace } = object.metadata;
  // In a namespace that is only about to be made nothing can be checked, so it is checked in another.
  const isMoved = namespace !== undefined && missing.has(namespace);
  const placed = isMoved ? { ...object, metadata: { ...object.metadata, namespace: 'default' } } : object;
  const options = { fieldManager: 'rackwright', isForced: true, isDryRun, fieldValidation: 'Strict' } as const;
  await client.resource<AnyKubeObject>(resource).apply(withoutAddresses(placed) as AnyKubeObject, options);
}

/**
 * Takes the addresses of webhooks away that `rackwright up` beside the cluster has named: an installation names a Service,
 * and the API server takes one of them only.
 */
function withoutAddresses(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAddresses);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, each]) => [
    key,
    key === 'clientConfig' && isJsonObject(each) ? { ...each, url: null } : withoutAddresses(each),
  ]);
  return Object.fromEntries(fields);
}

function nameOf({ kind, metadata: { namespace, name } }: InstalledObject): string {
  return `${kind.toLowerCase()}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

const namespacesRef: ResourceRef = {
  ...{ group: '', version: 'v1', resource: 'namespaces' },
  ...{ namespaced: false, kind: 'Namespace' },
};

async function missingNamespaces(objects: readonly InstalledObject[], { client }: Session): Promise<Set<string>> {
  // That of a tenant has to be there beforehand: it is not ours to make.
  const planned = objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name);
  const missing = new Set<string>();
  for (const name of new Set([home, ...planned])) {
    try {
      await client.resource<KubeObject>(namespacesRef).get({ name });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      missing.add(name);
    }
  }
  return missing;
}

/** Names of definitions that are not ours. */
async function foreignDefinitions({ client }: Session): Promise<ReadonlySet<string>> {
  const { items } = await client.resource<KubeObject>(definitionsRef).list();
  const foreign = items.filter(({ metadata }) => metadata?.labels?.['app.kubernetes.io/part-of'] !== 'rackwright');
  return new Set(foreign.map(({ metadata }) => metadata?.name ?? ''));
}

async function wait({ client }: Session, names: readonly string[], { interrupted }: Terminal): Promise<void> {
  const waiting = await untilServed(client, names, AbortSignal.any([interrupted, AbortSignal.timeout(60_000)]));
  interrupted.throwIfAborted();
  if (waiting.size === 0) return;
  const reasons = [...waiting].map(([name, why]) => `  ${name}: ${why}`);
  throw new CliError('timed-out', `these kinds are not served after 60 s:\n${reasons.join('\n')}`);
}
