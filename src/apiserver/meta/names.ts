import { label1123Faults, pathSegmentFaults, subdomainFaults } from '../../schema/index.ts';

/** Which rule an object's name follows. */
export type NameRule = 'dns-subdomain' | 'dns-label' | 'path-segment' | 'none';

/** What is wrong with a name under its kind's rule, in Kubernetes' words; empty when nothing is. */
export function nameFaults(rule: NameRule, value: string): string[] {
  if (rule === 'dns-label') return label1123Faults(value);
  if (rule === 'dns-subdomain') return subdomainFaults(value);
  return rule === 'path-segment' ? pathSegmentFaults(value) : [];
}
