import { type BareMetalHost, quarantineLabel } from '../../api/index.ts';
import { type Draft, rest, type Step } from './seen.ts';

/** Why a host rests that nobody has looked at yet. */
export const quarantined = 'Quarantined';

const message = `it is in quarantine: nothing is done to its machine until somebody takes the label ${quarantineLabel} off it`;

/** Whether somebody has to look at the host first. */
export function isQuarantined({ metadata }: Pick<BareMetalHost, 'metadata'>): boolean {
  return metadata.labels?.[quarantineLabel] !== undefined;
}

/** Holds a host in quarantine where it is: known to its provisioner, and no more. Undefined for all others. */
export function holdInQuarantine(host: BareMetalHost, draft: Draft): Step | undefined {
  return isQuarantined(host) ? rest(draft, { on: 'change' }, quarantined, message) : undefined;
}
