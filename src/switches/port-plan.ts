import { formatAcl } from './acl.ts';
import { type PortAspect, type PortSettings, type PortState, portAspects } from './port-settings.ts';
import { formatVlans } from './vlan-set.ts';

/** One aspect that is not as wanted, in words that can be shown. */
export interface PortDifference {
  readonly aspect: PortAspect;
  readonly seen: string;
  readonly wanted: string;
}

/** What would change on a port. */
export interface PortPlan {
  readonly port: string;
  /** Empty when the port is as wanted: then nothing is written. */
  readonly differences: readonly PortDifference[];
  /** Aspects that cannot be compared because the switch does not tell them. */
  readonly unread: readonly PortAspect[];
}

/** Writes one aspect of settings so that equal ones are written alike. */
export function showAspect(settings: PortSettings, aspect: PortAspect): string {
  switch (aspect) {
    case 'disabled':
      return settings.isDisabled ? 'down' : 'up';
    case 'untaggedVlan':
      return settings.untaggedVlan === undefined ? 'none' : String(settings.untaggedVlan);
    case 'taggedVlans':
      return formatVlans(settings.taggedVlans) || 'none';
    case 'acl':
      return formatAcl(settings.acl) || 'none';
  }
}

/** True when both mean the same port. */
export function areSameSettings(one: PortSettings | undefined, other: PortSettings | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return portAspects.every((aspect) => showAspect(one, aspect) === showAspect(other, aspect));
}

/** What would have to change for the port to be as wanted. */
export function planPort(seen: PortState, wanted: PortSettings): PortPlan {
  const differences: PortDifference[] = portAspects
    .filter((aspect) => !seen.unread.includes(aspect))
    .map((aspect) => ({ aspect, seen: showAspect(seen, aspect), wanted: showAspect(wanted, aspect) }))
    .filter((each) => each.seen !== each.wanted);
  if (seen.strays.length > 0) differences.push({ aspect: 'acl', seen: seen.strays.join('; '), wanted: 'nothing else' });
  return { port: seen.port, differences, unread: seen.unread };
}

/** One line for people: `untaggedVlan 10 -> 20, disabled up -> down`. */
export function describePlan(plan: PortPlan): string {
  return plan.differences.map(({ aspect, seen, wanted }) => `${aspect} ${seen} -> ${wanted}`).join(', ');
}
