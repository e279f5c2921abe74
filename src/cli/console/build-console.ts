import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CliError } from '../errors.ts';

/** Where the console is built from and to. */
export interface ConsolePlaces {
  /** The folder of the package. */
  readonly root: string;
  /** What was built is kept here for all work trees of a user. */
  readonly cache: string;
}

/** What building needs besides the sources; the versions are those of package.json. */
const tools = [
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@tanstack/react-virtual',
  '@vitejs/plugin-react',
  'react',
  'react-dom',
  'vite',
] as const;

/** The folder for what can be made again. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { RACKWRIGHT_CACHE, XDG_CACHE_HOME, HOME, USERPROFILE } = env;
  // A relative one, also an empty one, is to be ignored by the XDG specification.
  const base = isAbsolute(XDG_CACHE_HOME ?? '') ? XDG_CACHE_HOME : undefined;
  return RACKWRIGHT_CACHE ?? join(base ?? join(HOME ?? USERPROFILE ?? '.', '.cache'), 'rackwright');
}

/**
 * The folder of the built console; built if these sources never were. A package that was published carries the built
 * pages instead of the sources.
 */
export async function findOrBuildConsole(places: ConsolePlaces, signal: AbortSignal): Promise<string> {
  const { root, cache } = places;
  if (!existsSync(join(root, 'console', 'src'))) return requireShipped(join(root, 'console', 'dist'));
  const sources = sourcesOf(root);
  const folder = join(cache, 'console', sources.hash);
  if (existsSync(join(folder, 'index.html'))) return folder;
  // Whoever builds at the same time builds the same: the first to be ready stays.
  const scratch = join(cache, 'console', `building-${randomUUID()}`);
  try {
    const base = existsSync(join(root, 'node_modules', 'vite')) ? root : await installTools(places, sources, signal);
    const vite = join(base, 'node_modules', 'vite', 'bin', 'vite.js');
    await run(process.execPath, [vite, 'build', join(base, 'console'), '--outDir', scratch, '--emptyOutDir'], {
      cwd: base,
      signal,
    });
    if (!existsSync(join(folder, 'index.html'))) moveInPlace(scratch, folder);
    return folder;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function requireShipped(folder: string): string {
  if (existsSync(join(folder, 'index.html'))) return folder;
  throw new CliError('failed', `neither the sources of the console nor its built pages are in ${folder}`);
}

function moveInPlace(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(join(to, 'index.html'))) throw error; // otherwise somebody else was quicker
  }
}

interface Sources {
  readonly hash: string;
  readonly versions: Readonly<Record<string, string>>;
}

function sourcesOf(root: string): Sources {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies?: Record<string, string>;
  };
  const versions = Object.fromEntries(tools.map((name) => [name, devDependencies[name] ?? 'latest']));
  const hash = createHash('sha256').update(JSON.stringify(versions));
  const files = globSync('{src/**/*,public/**/*,index.html,vite.config.ts,tsconfig.json}', {
    cwd: join(root, 'console'),
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return { hash: hash.digest('hex').slice(0, 32), versions };
}

/** A package that was installed to be used only has no tools: they are installed in the cache, once for each set of versions. */
async function installTools(
  { root, cache }: ConsolePlaces,
  { versions }: Sources,
  signal: AbortSignal,
): Promise<string> {
  const key = createHash('sha256').update(JSON.stringify(versions)).digest('hex').slice(0, 16);
  const base = join(cache, 'console', `tools-${key}`);
  mkdirSync(base, { recursive: true });
  writeFileSync(join(base, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies: versions }));
  if (!existsSync(join(base, 'node_modules', 'vite', 'bin', 'vite.js'))) {
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'], {
      cwd: base,
      signal,
    });
  }
  rmSync(join(base, 'console'), { recursive: true, force: true });
  cpSync(join(root, 'console'), join(base, 'console'), { recursive: true });
  cpSync(join(root, 'tsconfig.json'), join(base, 'tsconfig.json'));
  return base;
}

/** The last lines of what a program says are enough to see why it failed. */
const keptCharacters = 2000;

function run(
  command: string,
  words: readonly string[],
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const child = spawn(command, words, { cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    const hear = (chunk: Buffer): void => {
      said = `${said}${chunk}`.slice(-keptCharacters);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new CliError('failed', `${command} ${words[0] ?? ''} ended with ${code}: ${said.trim()}`));
    });
  });
}
