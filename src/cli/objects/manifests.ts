import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { kindAliases } from '../../api/index.ts';
import { type AnyKubeObject, parseApiVersion } from '../../kube/index.ts';
import { isJsonObject, type Json, parseYamlStrict } from '../../schema/index.ts';
import { CliError, usageError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';

/** An object read from a file, and where it stood. */
export interface Manifest {
  readonly object: AnyKubeObject;
  /** `hosts.yaml:12`, for messages. */
  readonly source: string;
}

/** Reads the objects of files, of folders and, for `-`, of the standard input. */
export async function readManifests(
  paths: readonly string[],
  options: { readonly isRecursive: boolean },
  terminal: Terminal,
): Promise<Manifest[]> {
  if (paths.length === 0) throw usageError('name a file or a folder with -f, or "-f -" for the standard input');
  const manifests: Manifest[] = [];
  for (const path of paths) {
    if (path === '-') manifests.push(...parseManifests(await terminal.readInput(), 'standard input'));
    else for (const file of filesAt(path, options, terminal)) manifests.push(...readFile(file, terminal));
  }
  if (manifests.length === 0) throw new CliError('failed', `there is no object in ${paths.join(', ')}`);
  return manifests;
}

function filesAt(path: string, { isRecursive }: { isRecursive: boolean }, { cwd }: Terminal): string[] {
  const stats = statSync(resolve(cwd, path), { throwIfNoEntry: false });
  if (stats === undefined) throw new CliError('failed', `${path} does not exist`);
  if (!stats.isDirectory()) return [path];
  return readdirSync(resolve(cwd, path), { recursive: isRecursive, encoding: 'utf8' })
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

function readFile(file: string, { cwd }: Terminal): Manifest[] {
  return parseManifests(readFileSync(resolve(cwd, file), 'utf8'), file);
}

/** Parses a text of several YAML documents; lists become their items, and other spellings of kinds the canonical one. */
export function parseManifests(text: string, file: string): Manifest[] {
  return splitDocuments(text).flatMap(({ text: document, line }) => {
    const parsed = parseYamlStrict(document);
    const source = `${file}:${line}`;
    if ('error' in parsed) throw new CliError('failed', `${file}: ${parsed.error}`);
    if (parsed.strictError !== undefined) throw new CliError('failed', `${file}: ${parsed.strictError}`);
    return parsed.value === null ? [] : unwrap(parsed.value, source);
  });
}

/** Cuts at lines of dashes. Lines before a document become empty ones, so that parsers count lines of the file. */
function splitDocuments(text: string): { text: string; line: number }[] {
  const documents: { text: string; line: number }[] = [];
  let lines: string[] = [];
  let start = 0;
  const end = (): void => {
    const first = lines.findIndex((line) => /^\s*[^\s#]/.test(line));
    if (first !== -1) documents.push({ text: '\n'.repeat(start) + lines.join('\n'), line: start + first + 1 });
  };
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (!/^---(\s|$)/.test(line)) {
      lines.push(line);
      continue;
    }
    end();
    start = index;
    lines = [line.replace('---', '   ')];
  }
  end();
  return documents;
}

function unwrap(value: Json, source: string): Manifest[] {
  if (!isJsonObject(value)) throw new CliError('failed', `${source}: not an object`);
  const { apiVersion, kind, items } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw new CliError('failed', `${source}: an object needs apiVersion and kind`);
  }
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => unwrap(item, source));
  const object = value as unknown as AnyKubeObject;
  if (object.metadata !== undefined && !isJsonObject(value.metadata)) {
    throw new CliError('failed', `${source}: metadata must be an object`);
  }
  return [{ object: { ...object, kind: canonicalKind(apiVersion, kind) }, source }];
}

function canonicalKind(apiVersion: string, kind: string): string {
  return kindAliases.get(`${parseApiVersion(apiVersion).group}/${kind}`) ?? kind;
}
