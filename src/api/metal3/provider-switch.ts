import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { Struct, Text, Time, Whole } from '../shapes.ts';

/** A Secret of the same namespace, by name. */
export function LocalSecret(description: string) {
  return Struct({ name: Text('Name of the Secret.', { minLength: 1, maxLength: 253 }) }, { description });
}

/** What every provider switch says about itself. */
export const providerSwitchFields = {
  observedGeneration: Type.Optional(Whole('The generation this status was computed from.', { format: 'int64' })),
  lastContactTime: Type.Optional(Time({ description: 'When the switch last answered.' })),
  conditions: Type.Optional(Conditions('Ready: the credentials are there and the switch takes them.')),
};

/** What every provider switch says about itself. */
export const ProviderSwitchStatus = Struct(providerSwitchFields, { description: 'How talking to the switch goes.' });

/** What every provider switch says about itself. */
export type ProviderSwitchStatus = Static<typeof ProviderSwitchStatus>;
