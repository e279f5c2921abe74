import { rebootWishOf } from '../annotations/read-annotations.ts';
import { ask } from '../decide/ask.ts';
import { type Draft, type HostSeen, type Step, withStatus } from '../decide/seen.ts';

const cannot: readonly (string | undefined)[] = ['failed', 'unregistered'];

/**
 * Nobody switches on a host that was let go of, and its system may have been shut down for the live update that is given
 * up. Undefined once it is on, and where it is to be off or cannot be switched: that does not keep it.
 */
export function switchOnAgain(seen: HostSeen, draft: Draft): Step | undefined {
  const { look, power } = seen.answers;
  const isHeld = rebootWishOf(seen.host, { isForcedOnly: false }).isHeld;
  if (seen.host.spec?.online !== true || isHeld) return undefined;
  if (cannot.includes(look?.kind) || cannot.includes(power?.kind)) return undefined;
  const errorType = 'power management error';
  const looked = ask(seen, draft, { question: { name: 'look' }, errorType });
  if (looked.kind === 'not yet') return looked.step;
  const { isPoweredOn } = looked.value;
  if (isPoweredOn === false) {
    const order = { target: 'on', mode: 'hard', isForced: false, isRetry: false } as const;
    const asked = ask(seen, draft, { question: { name: 'power', order }, errorType });
    if (asked.kind === 'not yet') return asked.step;
  }
  if (isPoweredOn === undefined || draft.status.poweredOn) return undefined;
  return { kind: 'again', draft: withStatus(draft, { ...draft.status, poweredOn: true }) };
}
