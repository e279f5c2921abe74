import type { SwitchPortConfiguration } from '../../api/index.ts';
import { type Decision, hasFinalizer, isBeingDeleted, namesForPeople } from '../../kube/index.ts';
import { objectKey } from '../fabric/references.ts';
import { networkFinalizer } from '../resources.ts';

/** What the configuration controller looks at. */
export interface ConfigurationSeen {
  readonly configuration: SwitchPortConfiguration;
  /** Ports that are linked to it or have it, and hosts that name it. */
  readonly users: readonly string[];
}

/** What the configuration controller does. */
export type ConfigurationEffect =
  | { readonly kind: 'hold'; readonly key: string }
  | { readonly kind: 'let-go'; readonly key: string };

/** What is decided about a configuration. */
export type ConfigurationDecision = Decision<ConfigurationEffect, never>;

/** A configuration that is in use is held until it is not: ports could not tell what they should be. Pure. */
export function decideConfiguration({ configuration, users }: ConfigurationSeen): ConfigurationDecision {
  const isHeld = hasFinalizer(configuration, networkFinalizer);
  const isLeaving = isBeingDeleted(configuration);
  const key = objectKey(configuration);
  const base = { status: undefined, wake: { on: 'change' } as const };
  if (users.length > 0) {
    const message = `It is used by ${namesForPeople(users, 5)}.`;
    const why = [{ code: 'InUse', message }];
    if (isLeaving) {
      const told = `It goes when nobody uses it any more. ${message}`;
      return { ...base, effects: [], why, events: [{ type: 'Warning', reason: 'InUse', message: told }] };
    }
    return { ...base, effects: isHeld ? [] : [{ kind: 'hold', key: `hold/${key}` }], why };
  }
  const why = [{ code: 'Unused', message: 'Nobody uses it.' }];
  return { ...base, effects: isLeaving && isHeld ? [{ kind: 'let-go', key: `let-go/${key}` }] : [], why };
}
