import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ironic } from './ironic.ts';
import type { Scratch } from './scratch.ts';

/** The login of an Ironic that a test starts. */
export const ironicLogin = { username: 'rackwright', password: 'of-this-run-only' } as const;

/** A file that stands for kernel and ramdisk of the agent. Nothing loads it: sushy-tools boots nothing, and simulated hosts are the agent themselves. */
export function ramdiskOf({ filesDir }: Ironic): string {
  const ramdisk = join(filesDir, 'ramdisk');
  writeFileSync(ramdisk, 'r'.repeat(4096));
  return `file://${ramdisk}`;
}

/** What the command is told to work with an Ironic of that login. */
export function ironicWords(ironic: Ironic, scratch: Scratch): readonly string[] {
  const login = scratch.folder('login');
  writeFileSync(login, `${ironicLogin.username}:${ironicLogin.password}\n`, { mode: 0o600 });
  const ramdisk = ramdiskOf(ironic);
  const images = ['--ironic-kernel', ramdisk, '--ironic-ramdisk', ramdisk];
  return ['--ironic-url', ironic.url, '--ironic-auth-file', login, ...images];
}
