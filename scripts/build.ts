// Makes the package as it is published, compiled, with types, and without what only tests need: node scripts/build.ts [FOLDER], dist/ unless given.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildConsole } from './build-console.mjs';

const root = join(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));

/** What goes into bin/ as it is. */
const programs = [
  'bin/node-options.mjs',
  'bin/launch.mjs',
  'bin/end-with-launcher.mjs',
  'bin/kubectl-complete.sh',
] as const;

interface Package {
  /** What others may import, by the name they do it with. */
  readonly exports: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

rmSync(dist, { recursive: true, force: true });
compile();
copyFiles();
copyConsole();
writePackage();
console.log(`${dist} is made: npm pack it, or npm install it`);

function compile(): void {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', dist], { cwd: root, stdio: 'inherit' });
  for (const file of globSync('**/*.{js,d.ts}', { cwd: dist })) rewrite(join(dist, file));
}

/** The compiler leaves names of files that are not imported, and those in types, as they are. */
function rewrite(file: string): void {
  const text = readFileSync(file, 'utf8');
  const compiled = text
    .replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2')
    .replaceAll(/(createRequire\(import\.meta\.url\)\('[^']+)\.ts('\))/g, '$1.js$2');
  const typed = file.endsWith('.d.ts')
    ? compiled.replaceAll(/((?:from|import\()\s*['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2')
    : compiled;
  if (typed !== text) writeFileSync(file, typed);
}

function copyFiles(): void {
  const beside = globSync('{src,simulator}/**/*.{gen.json,js,d.ts,py,proto}', {
    cwd: root,
    exclude: (path) => /(^|\/)(testing|contract)(\/|$)/.test(path),
  }).filter((path) => !/reference-cases|golden-messages/.test(path));
  for (const path of [...beside, ...programs, 'LICENSE', 'NOTICE', 'README.md', 'deploy']) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    cpSync(join(root, path), join(dist, path), { recursive: true });
  }
  const bin = readFileSync(join(root, 'bin', 'rackwright.mjs'), 'utf8');
  mkdirSync(join(dist, 'bin'), { recursive: true });
  writeFileSync(join(dist, 'bin', 'rackwright.mjs'), bin.replace('src/cli/main.ts', 'src/cli/main.js'), {
    mode: 0o755,
  });
}

/** The console comes built: whoever installs the package has nothing to build it with. */
function copyConsole(): void {
  cpSync(buildConsole(root), join(dist, 'console', 'dist'), { recursive: true });
}

function writePackage(): void {
  const source = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package;
  // What only developers, tests and the build of the console have a use for stays here.
  const { private: _, scripts: __, devDependencies: ___, optionalDependencies: ____, imports: _____, ...kept } = source;
  const exports = Object.fromEntries(
    Object.entries(source.exports).map(([name, path]) => [name, path.endsWith('.ts') ? compiledOf(path) : path]),
  );
  const made = { ...kept, exports };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(made, null, 2)}\n`);
}

function compiledOf(path: string): { readonly types: string; readonly default: string } {
  const name = path.replace(/\.ts$/, '');
  return { types: `${name}.d.ts`, default: `${name}.js` };
}
