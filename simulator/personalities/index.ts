import { dellIdrac9 } from './dell-idrac9/personality.ts';
import { hpeIlo5 } from './hpe-ilo5/personality.ts';
import { hpeIlo6 } from './hpe-ilo6/personality.ts';
import { lenovoXcc } from './lenovo-xcc/personality.ts';
import { openbmc } from './openbmc/personality.ts';
import { type Personality, type PersonalityName, personalityNames } from './personality.ts';
import { supermicroX12 } from './supermicro-x12/personality.ts';

export { type AvailableFirmware, availableFirmware } from './catalog.ts';
export { maxFleetSize } from './parts/fleet-numbers.ts';
export {
  type BiosAttribute,
  type FirmwareEntry,
  type Personality,
  type PersonalityName,
  personalityNames,
  type ResourceIds,
  type ResourceKind,
  type ServiceFeatures,
  type UpdateFeatures,
} from './personality.ts';

const byName: Readonly<Record<PersonalityName, Personality>> = {
  'dell-idrac9': dellIdrac9,
  'hpe-ilo5': hpeIlo5,
  'hpe-ilo6': hpeIlo6,
  'lenovo-xcc': lenovoXcc,
  'supermicro-x12': supermicroX12,
  openbmc,
};

/** The personality of a name. */
export function personalityOf(name: PersonalityName): Personality {
  return byName[name];
}

/** All personalities, in the order of their names' list. */
export const allPersonalities: readonly Personality[] = personalityNames.map(personalityOf);
