import { showAspect } from '../port-plan.ts';
import { cleanSettings, type PortAspect, type PortSettings, type PortState, portAspects } from '../port-settings.ts';
import type { SwitchFailure } from '../switch-result.ts';
import { hasVlan, isVlanId } from '../vlan-set.ts';
import type { SwitchDriver } from './switch-driver.ts';

const aspectWords: Readonly<Record<PortAspect, string>> = {
  disabled: 'shut a port down',
  untaggedVlan: 'set the VLAN of untagged frames',
  taggedVlans: 'set tagged VLANs',
  acl: 'set access lists',
};

/** Why settings make no sense on any switch. */
function whyImpossible(wanted: PortSettings): string | undefined {
  const { untaggedVlan, taggedVlans } = wanted;
  const odd = [untaggedVlan, ...taggedVlans.flatMap(({ first, last }) => [first, last])].find(
    (id) => id !== undefined && !isVlanId(id),
  );
  if (odd !== undefined) return `VLAN ${odd} is not between 1 and 4094`;
  if (untaggedVlan !== undefined && hasVlan(taggedVlans, untaggedVlan)) {
    return `VLAN ${untaggedVlan} cannot be untagged and tagged on one port`;
  }
  return undefined;
}

/** Why a port of this switch cannot be set so, or undefined when it can. */
export function whyNotSettable(driver: SwitchDriver, seen: PortState, wanted: PortSettings): SwitchFailure | undefined {
  const impossible = whyImpossible(wanted);
  if (impossible !== undefined) return { kind: 'refused', message: `port ${seen.port}: ${impossible}` };
  const clean = cleanSettings();
  const lacking = portAspects.filter((aspect) => {
    if (driver.abilities.writes.includes(aspect)) return false;
    // What cannot be read is taken to be off, which is all that can be had there.
    const now = seen.unread.includes(aspect) ? clean : seen;
    return showAspect(now, aspect) !== showAspect(wanted, aspect);
  });
  if (lacking.length === 0) return driver.whyNot?.(wanted);
  const words = lacking.map((aspect) => aspectWords[aspect]).join(', ');
  return { kind: 'unsupported', aspects: lacking, message: `${driver.title} cannot ${words} the way it is talked to` };
}
