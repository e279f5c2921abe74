import type { Outcome } from '../provisioner.ts';
import { isIronicError } from './client/index.ts';
import { busy, continueIn, jittered, type Timing } from './workplace.ts';

/** Does work on a host, and says as an outcome what Ironic had against it. */
export async function outcomeOf<T>(place: Timing, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work();
  } catch (error) {
    if (!isIronicError(error)) throw error;
    switch (error.code) {
      case 'busy':
        return busy(place, error.message);
      case 'moved':
        return continueIn(place, 'short');
      case 'absent':
        return { kind: 'unregistered' };
      case 'refused':
      case 'unreached':
        return { kind: 'failed', message: error.message };
      case 'away':
      case 'denied':
      case 'tooOld':
        return { kind: 'unavailable', message: error.message, afterMs: jittered(place, place.delays.awayMs) };
    }
  }
}
