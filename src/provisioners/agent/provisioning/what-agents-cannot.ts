import type { HostSeen, Outcome, PowerOrder, Preparation, Serviced, Servicing } from '../../provisioner.ts';
import { done, fails, type Workplace, withFreeMachine, withMachine } from './workplace.ts';

const needsBmc = 'which takes credentials of its BMC, and this host is looked after by its agent alone';

/** There is nothing to prepare; RAID and firmware are refused. */
export function prepareHost(place: Workplace, order: Preparation): Promise<Outcome> {
  return withFreeMachine(place, async () => {
    const refused = refusedOf(order);
    return refused === undefined || !order.isWanted ? done : fails(`it cannot ${refused}, ${needsBmc}`);
  });
}

function refusedOf({ raid, settings, updates }: Partial<Pick<Preparation, 'raid' | 'settings' | 'updates'>>) {
  const isRaidWanted = (raid?.hardwareRAIDVolumes?.length ?? 0) > 0 || (raid?.softwareRAIDVolumes?.length ?? 0) > 0;
  if (isRaidWanted) return 'build a RAID';
  if (Object.keys(settings ?? {}).length > 0) return 'change settings of the BIOS';
  return (updates ?? []).length > 0 ? 'install firmware' : undefined;
}

/** Nothing can be changed on a host in use; nothing to change is done. */
export function serviceHost(place: Workplace, order: Servicing): Promise<Outcome<Serviced>> {
  return withFreeMachine<Serviced>(place, async () => {
    const refused = order.isSpecified ? refusedOf(order) : undefined;
    if (refused !== undefined) return fails(`it cannot ${refused}, ${needsBmc}`);
    return { kind: 'done', value: { settings: {}, updates: [] } };
  });
}

/** A host whose agent speaks is on; nothing is known of any other. */
export function lookAtHost(place: Workplace): Promise<Outcome<HostSeen>> {
  return withMachine<HostSeen>(place, async (machine) => {
    const isPoweredOn = place.parts.hearing.isHeard(machine) ? true : undefined;
    return {
      kind: 'done',
      value: { isPoweredOn, serviceProblem: `nothing can be changed, ${needsBmc}` },
    };
  });
}

/** A host that is on is on; anything else is refused. */
export function switchPower(place: Workplace, order: PowerOrder): Promise<Outcome> {
  return withFreeMachine(place, async (machine) => {
    if (order.target === 'on' && place.parts.hearing.isHeard(machine)) return done;
    const what = { on: 'be switched on', off: 'be switched off', reboot: 'be restarted' }[order.target];
    return fails(`it cannot ${what}, ${needsBmc}`);
  });
}

/** It has no virtual drive. */
export async function attachImage(): Promise<Outcome> {
  return fails(`it has no virtual drive, ${needsBmc}`);
}
