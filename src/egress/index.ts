export { createEgress, type Egress, EgressRefused, type EgressRules } from './egress.ts';
export { parseHostRule } from './networks.ts';
