import type { Serviced } from '../../provisioners/index.ts';
import type { HostSeen } from '../decide/seen.ts';

type Companions = Pick<HostSeen, 'firmwareComponents' | 'firmwareSettings'>;

/**
 * What an attempt that did not end well has changed, with the versions that were read since, and what it has not; each
 * empty where that is nothing.
 */
export function describeServiced(
  seen: Companions,
  { settings, updates, left }: Serviced,
): { readonly made: string; readonly missing: string } {
  const has = seen.firmwareSettings?.status?.settings;
  // A provisioner may not know how far a step came; what was read afterwards does.
  const late = Object.entries(left?.settings ?? {}).filter(([name, value]) => has?.[name] === String(value));
  const set = [...Object.keys(settings), ...late.map(([name]) => name)];
  const unset = Object.keys(left?.settings ?? {}).filter((name) => !set.includes(name));
  const version = (name: string) =>
    seen.firmwareComponents?.status?.components?.find(({ component }) => component === name)?.currentVersion ?? '';
  const installed = updates.map(({ component }) => `${nameOf(component)} ${version(component)}`.trim());
  const missing = (left?.updates ?? []).map(({ component }) => nameOf(component));
  return {
    made: joined([sentence(installed, 'already installed'), settingsSentence(set, 'already set')]),
    missing: joined([sentence(missing, 'not installed'), settingsSentence(unset, 'not set')]),
  };
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('; ');
}

function nameOf(component: string): string {
  return component === 'bios' || component === 'bmc'
    ? `${component.toUpperCase()} firmware`
    : `firmware of ${component}`;
}

function sentence(names: readonly string[], state: string): string {
  return names.length === 0 ? '' : `${names.join(', ')} ${names.length === 1 ? 'was' : 'were'} ${state}`;
}

function settingsSentence(names: readonly string[], state: string): string {
  const plural = names.length === 1 ? '' : 's';
  return names.length === 0 ? '' : `BIOS setting${plural} ${sentence(names, state)}`;
}
