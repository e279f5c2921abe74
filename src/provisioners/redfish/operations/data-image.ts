import { ejectMedia, insertMedium } from '../../../bmc/index.ts';
import type { Outcome } from '../../provisioner.ts';
import { done, refusedMedium, type Workplace, withFreeRecord } from '../workplace.ts';

/** Puts an image into the virtual drive of a host; one that runs a live ISO has its drive taken by that. */
export function attachImage(place: Workplace, { url }: { readonly url: string }): Promise<Outcome> {
  return withFreeRecord(place, async ({ image }) => {
    if (image !== undefined) {
      return { kind: 'failed', message: 'its virtual drive has the live ISO that it runs; it takes no data image' };
    }
    const refused = await refusedMedium(place, url);
    if (refused !== undefined) return refused;
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    await insertMedium(reached.bmc, { image: url });
    return done;
  });
}

/** Empties the virtual drive of a host, but for the live ISO that it runs. */
export function detachImage(place: Workplace): Promise<Outcome> {
  return withFreeRecord(place, async ({ image }) => {
    const reached = place.reach();
    if (reached.kind !== 'bmc') return reached;
    if (image === undefined) await ejectMedia(reached.bmc);
    return done;
  });
}
