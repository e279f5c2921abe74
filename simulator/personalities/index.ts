import { dellIdrac9 } from './dell-idrac9/personality.ts';
import { hpeIlo5 } from './hpe-ilo5/personality.ts';
import { hpeIlo6 } from './hpe-ilo6/personality.ts';
import type { Personality, PersonalityName } from './personality.ts';

const personalities: readonly Personality[] = [dellIdrac9, hpeIlo5, hpeIlo6];

/** The personality of a name. */
export function personalityOf(name: PersonalityName): Personality {
  const found = personalities.find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`there is no personality "${name}" yet`);
  return found;
}
