import type { Terminal } from '../terminal.ts';
import { packageRoot } from '../version.ts';
import { cacheFolder, findOrBuildConsole } from './build-console.ts';
import { type ConsoleFront, createConsoleFront } from './console-front.ts';

/** The console of this package. */
export function openConsole(terminal: Terminal): ConsoleFront {
  return createConsoleFront({
    build: (signal) => findOrBuildConsole({ root: packageRoot, cache: cacheFolder(terminal.env) }, signal),
    onFault: (message) => terminal.err(`rackwright: ${message}\n`),
  });
}
