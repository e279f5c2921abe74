import type { BareMetalHost } from '../../api/index.ts';
import { formatKey, isAlreadyExists, isConflict, isNotFound, type KubeObject, keyOf } from '../../kube/index.ts';
import { readMac } from '../naming/mac.ts';
import { type ClaimObject, readClaim, writeClaim } from './claim.ts';

/** A host as it is created. */
export type NewHost = BareMetalHost & KubeObject;

/** Requests by which hosts are claimed and created. */
export interface ClaimDesk {
  readClaim(mac: string): Promise<ClaimObject | undefined>;
  /** Throws where there is one already. */
  createClaim(claim: ClaimObject): Promise<ClaimObject>;
  /** Throws where it is not the version any more that the claim is of. */
  replaceClaim(claim: ClaimObject): Promise<ClaimObject>;
  /** The same for one that goes. */
  deleteClaim(claim: ClaimObject): Promise<void>;
  readHost(key: string): Promise<NewHost | undefined>;
  /** Throws where a host has the name already. */
  createHost(host: NewHost): Promise<NewHost>;
}

/** What claims are judged by. */
export interface ClaimContext {
  readonly namespace: string;
  readonly now: () => number;
  readonly monotonic: () => number;
  /** How long a claim has been seen not to change. */
  readonly quietForMs: (claim: ClaimObject) => number;
  readonly createWithinMs: number;
  readonly retakeMs: number;
}

/** What became of a host that was to be created. */
export type ClaimOutcome =
  | { readonly kind: 'created'; readonly host: NewHost }
  /** Somebody else made a host of this machine. */
  | { readonly kind: 'known'; readonly host: string }
  /** A host of another machine has the name. */
  | { readonly kind: 'name-taken'; readonly host: string }
  /** Somebody else is about to make a host of this machine, under another name. */
  | { readonly kind: 'claimed'; readonly host: string }
  /** Others were quicker, or this took too long: to be looked at again. */
  | { readonly kind: 'again' };

/**
 * Makes a host of a machine that nobody else makes one of. What is created is what the claim of its MAC names, by a request
 * that is sent soon after the claim was written; whoever finds a claim of another name takes it over only when it has been
 * quiet for longer than such a request can be on its way, and the host that it names is not there.
 */
export async function claimHost(
  host: NewHost,
  known: ClaimObject | undefined,
  parts: { readonly desk: ClaimDesk; readonly context: ClaimContext },
): Promise<ClaimOutcome> {
  const { desk, context } = parts;
  const mac = readMac(host.spec?.bootMACAddress) ?? '';
  const key = formatKey(keyOf(host));
  const begun = context.monotonic();
  const taken = await takeClaim({ mac, key, known }, parts);
  if (taken.kind !== 'taken') return taken;
  // Requests that are late could land when the claim is another's.
  if (context.monotonic() - begun > context.createWithinMs) return { kind: 'again' };
  try {
    return { kind: 'created', host: await desk.createHost(host) };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const there = await desk.readHost(key);
  if (there === undefined) return { kind: 'again' };
  return isOf(there, mac) ? { kind: 'known', host: key } : { kind: 'name-taken', host: key };
}

/** Takes away a claim that has been quiet for as long as would let others take it over; unless its host is there. */
export async function releaseClaim(object: ClaimObject, desk: ClaimDesk): Promise<void> {
  const claim = readClaim(object);
  if (claim === undefined) return;
  const there = await desk.readHost(claim.host);
  if (there !== undefined && isOf(there, claim.mac)) return;
  try {
    await desk.deleteClaim(object);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

interface Wanted {
  readonly mac: string;
  readonly key: string;
  readonly known: ClaimObject | undefined;
}

async function takeClaim(
  { mac, key, known }: Wanted,
  { desk, context }: { readonly desk: ClaimDesk; readonly context: ClaimContext },
): Promise<{ readonly kind: 'taken' } | ClaimOutcome> {
  const { namespace } = context;
  let before = known;
  if (before === undefined) {
    const isNew = await createClaim(desk, writeClaim({ mac, host: key }, { namespace, now: context.now() }));
    if (isNew) return { kind: 'taken' };
    before = await desk.readClaim(mac);
    if (before === undefined) return { kind: 'again' };
  }
  const claimed = readClaim(before)?.host;
  if (claimed !== undefined && claimed !== key) {
    // Before the host is looked for: whatever was on its way has landed by then.
    const isQuiet = context.quietForMs(before) >= context.retakeMs;
    const there = await desk.readHost(claimed);
    if (there !== undefined && isOf(there, mac)) return { kind: 'known', host: claimed };
    if (!isQuiet) return { kind: 'claimed', host: claimed };
  }
  try {
    await desk.replaceClaim(writeClaim({ mac, host: key }, { namespace, now: context.now(), before }));
    return { kind: 'taken' };
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return { kind: 'again' };
    throw error;
  }
}

async function createClaim(desk: ClaimDesk, claim: ClaimObject): Promise<boolean> {
  try {
    await desk.createClaim(claim);
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return false;
  }
}

function isOf(host: NewHost, mac: string): boolean {
  return readMac(host.spec?.bootMACAddress) === mac;
}
