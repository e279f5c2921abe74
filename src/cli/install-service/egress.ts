import { createEgress, type Egress, type EgressRules } from '../../egress/index.ts';
import type { Settings } from '../settings.ts';

/** What is said about what this process may be made to connect to. */
export type EgressSettings = Settings<'egressHosts' | 'egressSchemes'>;

/** The rules, as jobs outside this process are told them. */
export function egressRulesOf({ egressHosts: hosts, egressSchemes: schemes }: EgressSettings): EgressRules {
  return { schemes, ...(hosts === undefined ? {} : { hosts }) };
}

/** The policy for images, catalogues and webhooks. */
export function egressOf(settings: EgressSettings): Egress {
  return createEgress(egressRulesOf(settings));
}
