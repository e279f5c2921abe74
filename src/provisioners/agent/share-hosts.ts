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
 * All hosts: those without a BMC and those that agents have brought are theirs, the others are looked after by their
 * BMCs. A host that is registered by hand, with its BMC, is that of an agent where one has told of its machine before.
 */
export function shareHosts(parts: AgentParts, { agents, beside }: SharingParties): Provisioners {
  const shared = chooseProvisioners([agents, beside], (host) => (isOfAgent(host) ? agents : beside));
  return {
    ...shared,
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
  const isIntroduced = async (): Promise<boolean> => {
    const machine = await findByMac({ parts, host });
    return machine !== undefined && machine.host === undefined && machine.introducedAtMs !== undefined;
  };
  return {
    ...ofBmc,
    register: async (order) => ((await isTaken()) || (await isIntroduced()) ? ofAgent : ofBmc).register(order),
    detach: async (order) => ((await isTaken()) ? ofAgent : ofBmc).detach(order),
    remove: async () => ((await isTaken()) ? ofAgent : ofBmc).remove(),
  };
}
