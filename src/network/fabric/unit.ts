import { nameOf, namespaceOf } from './references.ts';
import type { ProviderSwitch } from './tables.ts';

/** Where a switch is: `AnsibleSwitch nxos 192.0.2.1:22`. Another place is taken for another switch. */
export function placeOf(provider: ProviderSwitch): string {
  switch (provider.kind) {
    case 'AnsibleSwitch': {
      const { os, ip, port, bridge } = provider.spec;
      return [provider.kind, os, `${ip}:${port ?? 22}`, ...(bridge ? [bridge] : [])].join(' ');
    }
    case 'OVSSwitch':
      return `${provider.kind} ${provider.spec.address} ${provider.spec.bridge}`;
    case 'FixtureSwitch':
      return `${provider.kind} ${namespaceOf(provider)}/${nameOf(provider)}`;
  }
}

const separator = '#';

/** Stands for one switch: its place, and digests of its host keys where it has any. */
export function unitOf(place: string, hostKeys: readonly string[] = []): string {
  return hostKeys.length === 0 ? place : `${place}${separator}${hostKeys.join(',')}`;
}

/** The place within a unit, for people. */
export function placeIn(unit: string): string {
  return unit.split(separator)[0] ?? unit;
}

/** True when both are the same switch: at one place, with a host key in common where they have any. */
export function isSameUnit(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one === other) return true;
  const [place, keys = ''] = one.split(separator);
  const [otherPlace, otherKeys = ''] = other.split(separator);
  return place === otherPlace && keys.split(',').some((key) => key !== '' && otherKeys.split(',').includes(key));
}
