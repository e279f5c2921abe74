import { chooseProvisioners } from '../choose-provisioners.ts';
import type { HostIdentity, Provisioner, Provisioners } from '../provisioner.ts';
import type { AgentParts } from './parts.ts';
import { findByMac } from './provisioning/register.ts';

/** Those who look after hosts. */
export interface SharingParties {
  readonly agents: Provisioners;
  /** Looks after hosts by their BMCs. */
  readonly beside: Provisioners;
}

/**
 * All hosts: those that an agent can come for, or has, are theirs, the others are looked after by their BMCs. An agent can
 * come for a host without a BMC, and for one whose boot MAC is known, by which it is recognised once its BMC has started it.
 */
export function shareHosts(parts: AgentParts, { agents, beside }: SharingParties): Provisioners {
  const shared = chooseProvisioners([agents, beside], (host) => (isOfAgent(host) ? agents : beside));
  return {
    ...shared,
    worksByConditions: agents.worksByConditions,
    of: (host) =>
      isOfAgent(host) || host.id !== undefined
        ? shared.of(host)
        : undecided(parts, host, { ofAgent: agents.of(host), ofBmc: beside.of(host) }),
  };
}

/** A host without a BMC has nobody else; one that an agent brought stays with it when a BMC becomes known. */
function isOfAgent({ id, bmc }: HostIdentity): boolean {
  return id?.startsWith('agent-') === true || (bmc?.address ?? '') === '';
}

/** A host with a BMC of which it is not written down yet who has it: only these can come before that. */
function undecided(
  parts: AgentParts,
  host: HostIdentity,
  { ofAgent, ofBmc }: { readonly ofAgent: Provisioner; readonly ofBmc: Provisioner },
): Provisioner {
  const isTaken = async (): Promise<boolean> => (await parts.records.ofHost(host)) !== undefined;
  const canCome = async (): Promise<boolean> => {
    const machine = await findByMac({ parts, host });
    if (machine === undefined) return host.bootMacAddress !== undefined && ofBmc.bootFromNetwork !== undefined;
    return machine.host === undefined;
  };
  return {
    ...ofBmc,
    register: async (order) => ((await isTaken()) || (await canCome()) ? ofAgent : ofBmc).register(order),
    detach: async (order) => ((await isTaken()) ? ofAgent : ofBmc).detach(order),
    remove: async () => ((await isTaken()) ? ofAgent : ofBmc).remove(),
  };
}
