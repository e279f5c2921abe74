import { join } from 'node:path';
import { packageRoot } from '../version.ts';
import { type ConsoleFront, createConsoleFront } from './console-front.ts';

/** The console of this package, built when the package was set up or published. */
export function openConsole(): ConsoleFront {
  return createConsoleFront(join(packageRoot, 'console', 'dist'));
}
