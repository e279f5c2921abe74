import type { DataCentreOptions } from '../data-centre.ts';
import { countRacks } from '../fleet/index.ts';
import { personalityNames } from '../personalities/personality.ts';
import type { FleetIdentity } from './snapshot.ts';

/** What makes a data centre with these options the same as another. */
export function fleetIdentity(
  options: Pick<DataCentreOptions, 'seed' | 'servers' | 'racks' | 'personalities'>,
): FleetIdentity {
  const { seed, servers, personalities = personalityNames } = options;
  return { seed, servers, racks: countRacks(options), personalities: [...personalities] };
}

/** What two fleets differ in, in words; undefined when they are the same. */
export function differenceOf(saved: FleetIdentity, asked: FleetIdentity): string | undefined {
  const names = ['seed', 'servers', 'racks', 'personalities'] as const;
  const differences = names.flatMap((name) => {
    const [before, now] = [String(saved[name]), String(asked[name])];
    return before === now ? [] : [`${name} ${before}, not ${now}`];
  });
  return differences.length === 0 ? undefined : differences.join('; ');
}
