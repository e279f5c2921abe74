import type { Deployment } from '../../provisioner.ts';
import { textOf } from '../client/index.ts';

/** How a host boots, as Ironic calls it. */
function bootModeOf(mode: Deployment['bootMode']): Readonly<Record<string, string>> {
  if (mode === 'legacy') return { boot_mode: 'bios' };
  return mode === 'UEFISecureBoot' ? { boot_mode: 'uefi', secure_boot: 'true' } : { boot_mode: 'uefi' };
}

/** The capabilities of a node with the boot mode in them; others that inspection found stay. */
export function nodeCapabilities(seen: unknown, mode: Deployment['bootMode']): string {
  const others = (textOf(seen) ?? '')
    .split(',')
    .filter((each) => each !== '' && !/^(boot_mode|secure_boot):/.test(each));
  const own = Object.entries(bootModeOf(mode)).map(([name, value]) => `${name}:${value}`);
  return [...own, ...others].join(',');
}

/** The capabilities that a deployment asks for. */
export function instanceCapabilities(mode: Deployment['bootMode']): Readonly<Record<string, string>> {
  return bootModeOf(mode);
}
