import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type CliProcess, type CliResult, runCli, startUp, temporaryFolder } from '../test/e2e/cli-fixture.ts';
import { normalise, shellWords } from './console-page.ts';

/** A simulated rack that the commands of pages are run on, in a folder that looks to them like a clone. */
export interface PageFleet {
  readonly folder: string;
  readonly dataDir: string;
  /** Runs a command of a page and gives what it printed, alike in every run. */
  run(command: string): Promise<string>;
  /** The same, with how it ended. */
  runForCode(command: string): Promise<{ readonly code: number; readonly printed: string }>;
  /** What was printed, without what differs from run to run. */
  alike(printed: string): string;
  /** Resolves once no host of the rack is on its way to another state. */
  untilHostsRest(): Promise<void>;
  /** Resolves once the terminal of `rackwright up` has told so. */
  untilTold(line: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts it; the words are more flags of `rackwright up`. Resolves once all of its hosts are at rest. */
export async function startPageFleet(words: readonly string[] = []): Promise<PageFleet> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, '.rackwright');
  symlinkSync(import.meta.dirname, join(folder.path, 'examples'));
  const up = await startUp(dataDir, words);
  const alike = (printed: string): string => {
    const text = normalise(printed, new Map([[folder.path, '/home/you/rackwright']]));
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  };
  const runForCode = async (command: string) => {
    const { code, out, err } = await runLine(command, folder.path);
    return { code, printed: alike(out + err) };
  };
  const run = async (command: string) => (await runForCode(command)).printed;
  await untilAtRest({ up, run });
  return {
    ...{ folder: folder.path, dataDir, run, runForCode, alike },
    untilHostsRest: () => untilHostsRest({ up, run }),
    untilTold: (line) => up.until(`\n${line}\n`),
    async close() {
      await up.end('SIGTERM');
      folder.remove();
    },
  };
}

function runLine(command: string, cwd: string): Promise<CliResult> {
  const words = shellWords(command);
  if (words[0] === 'npx') words.shift();
  assert.equal(words[0], 'rackwright', `pages run "npx rackwright ..." only, not: ${command}`);
  // Half a minute, the usual time, is for a machine that does nothing else.
  const isBrief = words[1] === 'wait' && !words.some((word) => word.startsWith('--timeout'));
  return runCli([...words.slice(1), ...(isBrief ? ['--timeout', '300s'] : [])], { cwd });
}

interface Rack {
  readonly up: CliProcess;
  readonly run: (command: string) => Promise<string>;
}

async function untilSo({ up }: Rack, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    assert.equal(up.child.exitCode, null, up.printed.err);
    await pause(100);
  }
}

async function untilAtRest(rack: Rack): Promise<void> {
  const { up, run } = rack;
  await up.until('Hosts of the rack: ');
  // What was provisioned runs when the server has booted; the others are off once their agents have shut down.
  await untilSo(rack, async () => {
    const status = await run('npx rackwright simulate status');
    return /(deployed image.*){2}/s.test(status) && !/ agent$/m.test(status);
  });
  await untilHostsRest(rack);
  // The settings of a host are read beside what is done to it.
  await untilSo(rack, async () => (await run('npx rackwright get hfs -n simulated')).includes('r01-s07'));
}

function untilHostsRest(rack: Rack): Promise<void> {
  return untilSo(rack, async () => {
    const hosts = await rack.run('npx rackwright get baremetalhosts -n simulated');
    return !/^r\d+-s\d+ +(?! |available|provisioned)/m.test(hosts);
  });
}
