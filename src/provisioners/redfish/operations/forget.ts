import type { Outcome } from '../../provisioner.ts';
import { busy, done, type Workplace } from '../workplace.ts';
import { endWork, isGoingOn } from './change-firmware.ts';
import { keyOf } from './power.ts';

/** Forgets a host and leaves it as it is, in the middle of work only when forced. */
export async function detachHost(place: Workplace, { isForced }: { readonly isForced: boolean }): Promise<Outcome> {
  const record = await place.parts.records.read(place.host);
  if (record !== undefined && !isForced && (await isGoingOn(place, record))) {
    return busy(place, 'its firmware is being changed');
  }
  return forget(place);
}

/** Forgets a host that is to be no more; what is under way ends first. */
export async function removeHost(place: Workplace): Promise<Outcome> {
  const record = await place.parts.records.read(place.host);
  const under = record === undefined ? undefined : await endWork(place, record);
  return under ?? forget(place);
}

async function forget(place: Workplace): Promise<Outcome> {
  place.background.forget(keyOf(place));
  await place.parts.records.remove(place.host);
  return done;
}
