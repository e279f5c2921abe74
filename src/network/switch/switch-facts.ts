import { type Facts, growingWaitMs, hasFinalizer, type Instant } from '../../kube/index.ts';
import type { Verification } from '../devices/switch-book.ts';
import type { NetworkFault } from '../errors.ts';
import { nameOf, namespaceOf, referenceKey } from '../fabric/references.ts';
import { networkFinalizer } from '../resources.ts';
import { isOwnedBy, owningSwitch, type SwitchSeen } from './switch-seen.ts';
import type { switchTable } from './switch-table.ts';

/** What the table of switches is asked with. */
export type SwitchFactValues = Facts<(typeof switchTable)['facts']>;

/** Begins every access key of a provider as it is now; the version of the Secret follows. */
export function accessPrefix({ provider }: Pick<SwitchSeen, 'provider'>): string {
  return `${provider?.metadata.uid}/${provider?.metadata.generation}/`;
}

/** What the switch last said, unless that was by another way than there is now. */
export function currentVerification(seen: SwitchSeen): Verification | undefined {
  const { verification, provider } = seen;
  if (verification === undefined || provider === undefined) return undefined;
  return verification.access.startsWith(accessPrefix(seen)) ? verification : undefined;
}

/** Why the provider cannot be used. */
export function providerFault({ provider, object }: SwitchSeen): NetworkFault | undefined {
  const { kind } = object.spec.provider;
  const name = `${kind} ${referenceKey(object.spec.provider, namespaceOf(object))}`;
  if (provider === undefined) return { code: 'ProviderNotFound', message: `there is no ${name}` };
  const other = owningSwitch(provider);
  if (other !== undefined && !isOwnedBy(provider, object)) {
    return { code: 'ProviderTaken', message: `the ${name} belongs to the Switch ${other}` };
  }
  const isGoing = provider.metadata.deletionTimestamp !== undefined && !hasFinalizer(provider, networkFinalizer);
  return isGoing ? { code: 'ProviderNotFound', message: `the ${name} is being deleted` } : undefined;
}

/** When the switch is to be asked next. */
export function verificationDueAt(seen: SwitchSeen): Instant {
  const verification = currentVerification(seen);
  if (verification === undefined) return 0;
  const { at, failures, result, isDoubtful } = verification;
  const { verifyMs, retryFromMs: fromMs, retryToMs: toMs } = seen.settings;
  if (result.kind === 'bad') return at + growingWaitMs(failures, { fromMs, toMs });
  return isDoubtful === true ? at : at + verifyMs;
}

/** The facts about a switch. */
export function switchFactsOf(seen: SwitchSeen, now: Instant): SwitchFactValues {
  const { object, provider, ports } = seen;
  const isMissing = providerFault(seen) !== undefined;
  const isHeld = provider !== undefined && hasFinalizer(provider, networkFinalizer);
  // An owner has to be in the same namespace.
  const isHome = provider !== undefined && namespaceOf(provider) === namespaceOf(object);
  const isOurs = isHeld && (!isHome || (provider !== undefined && isOwnedBy(provider, object)));
  return {
    leaving: object.metadata.deletionTimestamp !== undefined,
    held: hasFinalizer(object, networkFinalizer),
    provider: isMissing ? 'missing' : isOurs ? 'ours' : 'free',
    verification: currentVerification(seen)?.result.kind ?? 'none',
    due: !seen.isVerifying && verificationDueAt(seen) <= now,
    ports: portChanges(seen).isComplete ? 'complete' : 'incomplete',
    left: ports.length > 0,
  };
}

/** What is missing among the SwitchPorts, and what is too many. */
export interface PortChanges {
  readonly create: readonly string[];
  /** Made by hand before the Switch was: they become its own. */
  readonly adopt: readonly string[];
  readonly remove: readonly string[];
  readonly isComplete: boolean;
}

/** Compares SwitchPorts with what the Switch lists. */
export function portChanges({ object, ports, strangers }: SwitchSeen): PortChanges {
  const listed = Object.keys(object.spec.ports ?? {});
  const owned = new Map(ports.map((port) => [nameOf(port), port]));
  const strange = new Map(strangers.map((port) => [nameOf(port), port]));
  const isGoing = (name: string): boolean => owned.get(name)?.metadata.deletionTimestamp !== undefined;
  const create = listed.filter((name) => !owned.has(name) && !strange.has(name));
  const adopt = strangers
    .filter((port) => owningSwitch(port) === undefined && port.metadata.deletionTimestamp === undefined)
    .map(nameOf);
  const remove = [...owned.keys()].filter((name) => !listed.includes(name) && !isGoing(name));
  const isComplete = create.length + adopt.length + remove.length === 0 && !listed.some(isGoing);
  return { create, adopt, remove, isComplete };
}
