import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { System } from '../redfish/index.ts';
import { type PowerState, powerIn, refresh } from './power-state.ts';
import { offered, type ResetOffer } from './reset-types.ts';

/** What is asked for: one of these types, for a host that is seen in a state. */
export interface ResetWish {
  /** Best first. */
  readonly wanted: readonly string[];
  /** The state in which it makes sense; in the other one nothing more is sent. */
  readonly from: 'on' | 'off';
  readonly signal: AbortSignal | undefined;
}

/** How it went: taken, perhaps taken (the answer was lost), or not needed, as the host is not in that state any more. */
export type ResetAnswer = { readonly kind: 'sent' | 'lost'; readonly type: string } | { readonly kind: 'left' };

/** Does the opposite when the host got there by itself: only for hosts that offer nothing else. */
const toggle = 'PushPowerButton';

/**
 * Sends the best type that the BMC takes. After each refusal the host is looked at again, as that may be why it was
 * refused. What may have been carried out is never followed by another type here.
 */
export async function sendReset(
  bmc: Bmc,
  about: { readonly system: System; readonly offer: ResetOffer },
  wish: ResetWish,
): Promise<ResetAnswer> {
  const { system, offer } = about;
  let refusal: BmcError | undefined;
  for (const type of usable(offer, wish.wanted)) {
    if (refusal !== undefined || type === toggle) {
      const state = await look(bmc, system);
      if (hasLeft(state, wish)) return { kind: 'left' };
      if (type === toggle && state !== wish.from) throw notSeen(bmc, state);
    }
    try {
      await post(bmc, offer.target, { type, signal: wish.signal });
      return { kind: 'sent', type };
    } catch (error) {
      if (isBmcError(error, 'ambiguous', 'timeout')) return { kind: 'lost', type };
      // Offered and yet refused, or not said: the next best may do.
      if (!isBmcError(error, 'refused', 'unsupported')) throw error;
      refusal = error;
    }
  }
  if (refusal === undefined) throw nothingFits(bmc, about, wish);
  if (hasLeft(await look(bmc, system), wish)) return { kind: 'left' };
  throw refusal;
}

function usable(offer: ResetOffer, wanted: readonly string[]): readonly string[] {
  const types = offered(offer, wanted);
  const others = types.filter((type) => type !== toggle);
  return others.length > 0 ? others : types;
}

async function look(bmc: Bmc, system: System): Promise<PowerState> {
  return powerIn((await refresh(bmc, system)).body).state;
}

function hasLeft(state: PowerState, { from }: ResetWish): boolean {
  return state === (from === 'on' ? 'off' : 'on');
}

async function post(
  bmc: Bmc,
  path: string,
  order: { readonly type: string; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { type, signal } = order;
  const body = { ResetType: type };
  await bmc.gate.request({
    method: 'POST',
    path,
    body,
    isDisruptive: true,
    ...(signal === undefined ? {} : { signal }),
  });
}

function notSeen(bmc: Bmc, state: PowerState): BmcError {
  const detail = `its power state is ${state}, and the button would do the opposite of what it is; ask again when it is at rest`;
  return new BmcError('blocked', { origin: bmc.gate.origin, what: 'press the power button', detail });
}

function nothingFits(
  bmc: Bmc,
  about: { readonly system: System; readonly offer: ResetOffer },
  { wanted }: ResetWish,
): BmcError {
  const detail = `${about.system.path} offers only ${about.offer.types?.join(', ') ?? 'nothing'}`;
  return new BmcError('unsupported', { origin: bmc.gate.origin, what: `do ${wanted.join(' or ')}`, detail });
}
