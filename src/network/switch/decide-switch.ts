import type { ProviderSwitchStatus, SwitchStatus } from '../../api/index.ts';
import { type Decision, type EventDraft, type Instant, takeStep, type Wake } from '../../kube/index.ts';
import { nameOf, objectKey } from '../fabric/references.ts';
import { currentVerification, portChanges, switchFactsOf, verificationDueAt } from './switch-facts.ts';
import type { SwitchSeen } from './switch-seen.ts';
import { describeProviderStatus, describeSwitchStatus, providerName } from './switch-status.ts';
import { type SwitchAction, type SwitchPhase, switchTable } from './switch-table.ts';

/** What the switch controller does. Nothing of it changes anything on a device. */
export type SwitchEffect =
  | { readonly kind: 'add-finalizer'; readonly key: string }
  /** Holds the provider, and makes it go with the Switch. */
  | { readonly kind: 'adopt-provider'; readonly key: string }
  /** Lets go of a provider that is not used any more. */
  | { readonly kind: 'release-provider'; readonly key: string; readonly which: 'present' | 'previous' }
  | { readonly kind: 'verify'; readonly key: string }
  | { readonly kind: 'create-port'; readonly key: string; readonly name: string }
  | { readonly kind: 'adopt-port'; readonly key: string; readonly name: string }
  | { readonly kind: 'delete-port'; readonly key: string; readonly name: string }
  | { readonly kind: 'tell-provider'; readonly key: string; readonly status: ProviderSwitchStatus }
  | { readonly kind: 'remove-finalizer'; readonly key: string };

/** What is decided about a switch. */
export type SwitchDecision = Decision<SwitchEffect, SwitchStatus>;

/** Decides what to do about a switch. Pure. */
export function decideSwitch(seen: SwitchSeen, now: Instant): SwitchDecision {
  const { phase, actions } = settle(seen, now);
  const status = describeSwitchStatus(seen, { phase, now });
  const isOnlyFinalizer = actions.includes('add-finalizer') || actions.includes('release');
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return {
    effects: [...providerEffects(seen, now), ...actions.flatMap((action) => effectsOf(seen, action))],
    status: isOnlyFinalizer ? undefined : status,
    wake: wakeOf(seen, { phase, actions, now }),
    why: ready === undefined ? [] : [{ code: ready.reason, message: ready.message }],
    events: isOnlyFinalizer ? [] : eventsOf(seen, status),
    state: phase,
  };
}

/** Steps through the table until it rests or asks for something. */
function settle(
  seen: SwitchSeen,
  now: Instant,
): { readonly phase: SwitchPhase; readonly actions: readonly SwitchAction[] } {
  const facts = switchFactsOf(seen, now);
  let phase: SwitchPhase = seen.object.status?.state ?? '';
  for (let steps = 0; steps < switchTable.states.length; steps++) {
    const { position, actions } = takeStep(switchTable, { state: phase, since: now }, facts, now);
    if (actions.length > 0) return { phase: position.state, actions };
    if (position.state === phase) break;
    phase = position.state;
  }
  return { phase, actions: [] };
}

function effectsOf(seen: SwitchSeen, action: SwitchAction): SwitchEffect[] {
  const key = objectKey(seen.object);
  const { create, adopt, remove } = portChanges(seen);
  const forPort = (kind: 'create-port' | 'adopt-port' | 'delete-port') => (name: string) =>
    ({ kind, key: `${kind}/${key}/${name}`, name }) as const;
  switch (action) {
    case 'make-ports':
      return [
        ...create.map(forPort('create-port')),
        ...adopt.map(forPort('adopt-port')),
        ...remove.map(forPort('delete-port')),
      ];
    case 'delete-ports':
      return seen.ports
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(nameOf)
        .map(forPort('delete-port'));
    case 'release':
      return [
        { kind: 'release-provider', key: `release/${key}`, which: 'present' },
        { kind: 'remove-finalizer', key: `remove-finalizer/${key}` },
      ];
    default:
      return [{ kind: action, key: `${action}/${key}` }];
  }
}

/** What the provider is told, and one that is not used any more is let go. */
function providerEffects(seen: SwitchSeen, now: Instant): SwitchEffect[] {
  const { object, provider } = seen;
  const effects: SwitchEffect[] = [];
  const before = object.status?.provider;
  if (before !== undefined && provider !== undefined && !isSameProvider(before, object.spec.provider)) {
    effects.push({ kind: 'release-provider', key: `release-previous/${objectKey(object)}`, which: 'previous' });
  }
  const status = describeProviderStatus(seen, now);
  if (status !== undefined && JSON.stringify(status) !== JSON.stringify(knownStatus(seen))) {
    effects.push({ kind: 'tell-provider', key: `tell-provider/${objectKey(object)}`, status });
  }
  return effects;
}

function isSameProvider(
  one: SwitchSeen['object']['spec']['provider'],
  other: SwitchSeen['object']['spec']['provider'],
): boolean {
  return one.kind === other.kind && one.name === other.name && (one.namespace ?? '') === (other.namespace ?? '');
}

function knownStatus({ provider }: SwitchSeen): ProviderSwitchStatus {
  const { observedGeneration, lastContactTime, conditions } = (provider?.status ?? {}) as ProviderSwitchStatus;
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(lastContactTime === undefined ? {} : { lastContactTime }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

function wakeOf(
  seen: SwitchSeen,
  {
    phase,
    actions,
    now,
  }: { readonly phase: SwitchPhase; readonly actions: readonly SwitchAction[]; readonly now: Instant },
): Wake {
  if (actions.includes('release')) return { never: 'it is being deleted' };
  if (seen.isVerifying || actions.includes('verify') || phase === '') return { on: 'change' };
  if (currentVerification(seen) === undefined) return { on: 'change' };
  return { after: Math.max(0, verificationDueAt(seen) - now) };
}

function eventsOf(seen: SwitchSeen, { error, state }: SwitchStatus): EventDraft[] {
  const before = seen.object.status;
  if (error !== undefined && error.reason !== before?.error?.reason) {
    return [{ type: 'Warning', reason: error.reason, message: error.message }];
  }
  if (error === undefined && before?.error !== undefined) {
    return [{ type: 'Normal', reason: 'Answered', message: `${providerName(seen)} answers again.` }];
  }
  if (state === 'Running' && before?.state !== 'Running') {
    return [{ type: 'Normal', reason: 'Running', message: 'The switch answers and its ports exist.' }];
  }
  return [];
}
