import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What one process runs: a file of tests, or a made file that loads several. */
export interface Batch {
  readonly entry: string;
  readonly files: readonly string[];
}

/** Test files laid into processes; `remove` takes the made files away. */
export interface Batches {
  readonly all: readonly Batch[];
  remove(): void;
}

/** Most files load the same code, which takes longer than their tests. More of them at once gain little. */
const filesOfOne = 12;

/**
 * Lays files beside each other into processes, in the order given. Which files share one depends on nothing but them,
 * so that a failure can be had again.
 */
export function batchFiles(files: readonly string[]): Batches {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-tests-'));
  const social = files.filter((file) => !takesLong(file) && mayShareProcess(readFileSync(file, 'utf8')));
  const lonely = files.filter((file) => !social.includes(file)).map((file) => ({ entry: file, files: [file] }));
  const shared: Batch[] = [];
  for (let start = 0; start < social.length; start += filesOfOne) {
    const own = social.slice(start, start + filesOfOne);
    const entry = join(folder, `${shared.length + 1}.test.mjs`);
    writeFileSync(entry, own.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(''));
    shared.push({ entry, files: own });
  }
  return { all: [...lonely, ...shared], remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Whole products run in these files: several in one process, one after the other, would end long after all the rest. */
const takesLong = (file: string): boolean => /[\\/]test[\\/](?:docs|e2e|provisioners)[\\/]/.test(file);

/** Each file in a process of its own. */
export function alone(files: readonly string[]): Batches {
  return { all: files.map((file) => ({ entry: file, files: [file] })), remove: () => undefined };
}

/** Hooks outside suites are those of the whole process; a look at the process sees what others did to it. */
const needsOwnProcess =
  /^(?:before|after)(?:Each)?\(|\bprocess\.(?:memoryUsage|cpuUsage|on|once|chdir)\(|\bmock\.timers\b/m;
/** Tests taken from elsewhere only would carry the name of that file. */
const hasOwnTests = /^(?:test|describe)(?:\.\w+)?\(/m;

/** Whether tests come out alike when those of other files run before and after them. */
export function mayShareProcess(source: string): boolean {
  return hasOwnTests.test(source) && !needsOwnProcess.test(source);
}
