import type { AnsibleSwitch, FixtureSwitch, OVSSwitch } from '../api/index.ts';
import { systemFor } from './ansible/index.ts';
import { cleanSettings, type PortAspect, portAspects } from './port-settings.ts';

/** What cannot be done with a switch by the way it is talked to; undefined where nothing is lacking. */
export interface ProviderLimits {
  /** Why its ports cannot be cleaned, and what to do about it. */
  readonly cleaning: string | undefined;
  /** What cannot be set or read on its ports. */
  readonly control: string | undefined;
}

const words: Readonly<Record<PortAspect, string>> = {
  disabled: 'shutdown',
  untaggedVlan: 'untagged VLAN',
  taggedVlans: 'tagged VLANs',
  acl: 'access lists',
};

/** Says before anything is asked of a switch what will not be possible with it. */
export function describeProviderLimits(
  { kind, spec }: Pick<AnsibleSwitch | OVSSwitch | FixtureSwitch, 'kind' | 'spec'>,
  parkingVlan: number | undefined,
): ProviderLimits {
  if (kind === 'OVSSwitch') {
    const isWhole = (spec as OVSSwitch['spec']).openflowAddress !== undefined;
    const control = 'shutdown and access lists cannot be set without spec.openflowAddress of the OVSSwitch';
    return { cleaning: undefined, control: isWhole ? undefined : control };
  }
  if (kind !== 'AnsibleSwitch') return { cleaning: undefined, control: undefined };
  const { system, writes, reads, whyNot } = systemFor(spec as AnsibleSwitch['spec']);
  const lacking = (can: readonly PortAspect[]): string =>
    portAspects
      .filter((aspect) => !can.includes(aspect))
      .map((aspect) => words[aspect])
      .join(', ');
  const [unset, unread] = [lacking(writes), lacking(reads)];
  const said = [
    ...(unset === '' ? [] : [`cannot be set: ${unset}`]),
    ...(unread === '' ? [] : [`is not read back, so that nobody sees a change: ${unread}`]),
  ];
  return {
    cleaning: whyNot?.(cleanSettings(parkingVlan))?.message,
    control: said.length === 0 ? undefined : `on a switch with ${system} ${said.join('; ')}`,
  };
}
