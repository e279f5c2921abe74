import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the package, where deploy/, examples/ and package.json are. */
export const packageRoot: string = join(import.meta.dirname, '..', '..');

/** The version of this package. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
}
