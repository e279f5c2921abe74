import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { objectIn, type System, textIn } from '../redfish/index.ts';
import { poll } from './poll.ts';
import { type PowerState, powerIn, refresh } from './power-state.ts';
import { offered, type ResetOffer } from './reset-types.ts';
import { type ResetAnswer, sendReset } from './send-reset.ts';
import type { PowerWish } from './set-power.ts';
import { isInPost } from './wait-for-post.ts';

const defaultGraceMs = 5 * 60_000;
const defaultDeadlineMs = 15 * 60_000;
/** How long a host may take to show what it was asked for, before a request whose answer was lost counts as not heard. */
const unheardMs = 60_000;
/** After a restart in one go: how long a sign of it is looked for. */
const signMs = 60_000;
/** The same for a host that shows none but its power, unless given. */
export const shortSignMs = 15_000;

/** The steps of one change of power. Each resolves to true when what it brought about was seen. */
export interface Switching {
  goOff(): Promise<boolean>;
  goOn(): Promise<boolean>;
  restart(types: readonly string[]): Promise<boolean>;
  restartGracefully(): Promise<boolean>;
  readonly sent: readonly string[];
  readonly wasForced: boolean;
}

/** Begins a change of power. */
export function createSwitching(
  bmc: Bmc,
  about: { readonly system: System; readonly offer: ResetOffer; readonly wish: PowerWish },
): Switching {
  const { system, offer, wish } = about;
  const started = bmc.clock.monotonic();
  const left = () => Math.max(0, (wish.deadlineMs ?? defaultDeadlineMs) - (bmc.clock.monotonic() - started));
  const sent: string[] = [];
  let wasForced = false;
  /** The power at the last look; undefined when that failed. */
  let seen: PowerState | undefined;

  const send = async (from: 'on' | 'off', wanted: readonly string[]): Promise<ResetAnswer['kind']> => {
    const answer = await sendReset(bmc, { system, offer }, { wanted, from, signal: wish.signal });
    if (answer.kind !== 'left') sent.push(answer.type);
    return answer.kind;
  };

  const waitFor = async (state: 'on' | 'off', withinMs: number): Promise<boolean> => {
    let said = '';
    seen = undefined;
    await poll(bmc, {
      what: `turning ${state} ${system.path}`,
      deadlineMs: withinMs,
      signal: wish.signal,
      seen: () => `its power state is ${said}`,
      look: async () => {
        seen = undefined;
        const power = powerIn((await refresh(bmc, system)).body);
        said = power.said ?? 'not said';
        seen = power.state;
        return power.state === state ? true : undefined;
      },
    });
    return true;
  };

  /** Whether the host gets there although the answer was lost; false when it is seen to stay as it was. */
  const wasHeard = async (state: 'on' | 'off'): Promise<boolean> => {
    try {
      return await waitFor(state, unheardMs);
    } catch (error) {
      if (!isBmcError(error, 'deadline')) throw error;
      return seen === opposite[state] ? false : waitFor(state, left());
    }
  };

  /**
   * A host may have got there by itself between the look and the request. What was sent is only waited for, but for a
   * request that may never have been heard: on and off can be asked for twice, pressing the button can not.
   */
  const reach = async (state: 'on' | 'off', wanted: readonly string[]): Promise<boolean> => {
    for (;;) {
      const answer = await send(opposite[state], wanted);
      if (answer === 'left') return true;
      const isRepeatable = answer === 'lost' && sent.at(-1) !== 'PushPowerButton' && left() > unheardMs;
      if (!isRepeatable) return waitFor(state, left());
      if (await wasHeard(state)) return true;
    }
  };

  const goOn = () => reach('on', ['On', 'ForceOn', 'PushPowerButton']);

  const shutDown = async (): Promise<boolean> => {
    if (offered(offer, gracefulOff).length === 0) return false;
    try {
      if ((await send('on', gracefulOff)) === 'left') return true;
      return await waitFor('off', Math.min(left(), wish.gracePeriodMs ?? defaultGraceMs));
    } catch (error) {
      if (!isBmcError(error, 'deadline', 'refused', 'unsupported')) throw error;
      wasForced = true;
      return false;
    }
  };

  /** Looks for a sign that the host restarted: what it says of its last reset or its boot changed. */
  const sawRestart = async (withinMs: number): Promise<boolean> => {
    const before = signsOf(system);
    seen = undefined;
    try {
      return await poll(bmc, {
        what: `restarting ${system.path}`,
        deadlineMs: withinMs,
        signal: wish.signal,
        look: async () => {
          const now = await refresh(bmc, system);
          seen = powerIn(now.body).state;
          return seen !== 'on' || signsOf(now) !== before ? true : undefined;
        },
      });
    } catch (error) {
      if (isBmcError(error, 'deadline')) return false;
      throw error;
    }
  };

  const askToRestart = async (): Promise<ResetAnswer['kind'] | 'refused'> => {
    try {
      return await send('on', ['GracefulRestart']);
    } catch (error) {
      if (isBmcError(error, 'refused', 'unsupported')) return 'refused';
      throw error;
    }
  };

  const lostWithoutSign = (): BmcError => {
    const fields = { origin: bmc.gate.origin, method: 'POST', path: offer.target };
    return new BmcError('ambiguous', { ...fields, detail: 'and the host shows no sign of a restart' });
  };

  const restart = async (types: readonly string[]): Promise<boolean> => {
    const answer = await send('on', types);
    if (answer === 'left') return goOn();
    // One POST looks like the other: a host that was in it, and was told, is not waited for until it is through.
    const isLikeBefore = answer === 'sent' && isInPost(system.body);
    const hasSign = signsOf(system) !== '' && !isLikeBefore;
    const isSeen = await sawRestart(Math.min(left(), hasSign ? signMs : (wish.signMs ?? shortSignMs)));
    if (!isSeen && answer === 'lost') throw lostWithoutSign();
    if (seen !== 'on') await waitFor('on', left());
    return isSeen;
  };

  return {
    sent,
    get wasForced() {
      return wasForced;
    },
    async goOff() {
      if (wish.isGraceful === true && (await shutDown())) return true;
      return reach('off', ['ForceOff', ...(wish.isGraceful === true ? [] : gracefulOff)]);
    },
    goOn,
    restart,
    async restartGracefully() {
      const answer = await askToRestart();
      if (answer === 'left') return goOn();
      if (answer !== 'refused') {
        if (await sawRestart(Math.min(left(), wish.gracePeriodMs ?? defaultGraceMs))) return waitFor('on', left());
        // Nothing would show it: forcing could cut off a host that does as it was told.
        if (signsOf(system) === '' && answer === 'lost') throw lostWithoutSign();
        if (signsOf(system) === '') return waitFor('on', left()).then(() => false);
      }
      wasForced = true;
      return restart(['ForceRestart', 'PowerCycle']);
    },
  };
}

const opposite = { on: 'off', off: 'on' } as const;
const gracefulOff: readonly string[] = ['GracefulShutdown', 'PushPowerButton'];

/** What of a system changes when it restarts; empty where it shows nothing. */
function signsOf({ body }: System): string {
  const parts = [
    textIn(body, 'LastResetTime'),
    textIn(objectIn(body, 'BootProgress'), 'LastState'),
    textIn(objectIn(body, 'BootProgress'), 'LastStateTime'),
    textIn(objectIn(body, 'Oem', 'Hpe'), 'PostState'),
    textIn(objectIn(body, 'Oem', 'Lenovo'), 'SystemStatus'),
  ];
  return parts.every((part) => part === undefined) ? '' : parts.join('\n');
}
