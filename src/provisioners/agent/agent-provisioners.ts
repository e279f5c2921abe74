import type { HardwareDetails } from '../../api/index.ts';
import type { HostIdentity, Outcome, Provisioner, Provisioners } from '../provisioner.ts';
import { createAgentSource } from './discovery/agent-source.ts';
import type { AgentParts } from './parts.ts';
import { askBmcSide, checkBmc, createBmcSide, registerAtBmcSide } from './provisioning/by-bmc.ts';
import { deprovisionHost } from './provisioning/deprovision.ts';
import { detachHost, removeHost } from './provisioning/forget.ts';
import { provisionHost } from './provisioning/provision.ts';
import { adoptHost, importHost, registerHost } from './provisioning/register.ts';
import { attachImage, lookAtHost, prepareHost, serviceHost, switchPower } from './provisioning/what-agents-cannot.ts';
import { done, type Workplace, waits, withFreeMachine, withMachine } from './provisioning/workplace.ts';
import type { MachineRecord } from './records/machine-record.ts';

/**
 * Hosts that their agents look after, without access to a BMC: images are written by an agent that a host booted from
 * the network. Power, firmware and RAID are refused.
 */
export function createAgentProvisioners(
  parts: AgentParts,
  { limit, beside }: { readonly limit: number; readonly beside: Provisioners | undefined },
): Provisioners {
  const sideOf = createBmcSide(beside);
  return {
    of: (host) => withBmcSide({ parts, host }, sideOf(host)),
    hasCapacity: (host) => hasCapacity(parts, host, limit),
    bootImageFormats: undefined,
    sources: [createAgentSource(parts)],
    close: async () => parts.desk.close(),
  };
}

/** The same host with a BMC that can be asked: for all but its disk, unless the host is not known or in maintenance. */
function withBmcSide(place: Workplace, side: Provisioner | undefined): Provisioner {
  if (side === undefined) return provisionerAt(place);
  const put =
    <T>(question: (side: Provisioner) => Promise<Outcome<T>>) =>
    async (machine: MachineRecord): Promise<Outcome<T>> =>
      (await checkBmc(place, { machine, side, isAgain: false })) ?? askBmcSide(side, question);
  const ask = <T>(question: (side: Provisioner) => Promise<Outcome<T>>) => withMachine(place, put(question));
  const askFree = <T>(question: (side: Provisioner) => Promise<Outcome<T>>) => withFreeMachine(place, put(question));
  const boot = side.bootFromNetwork?.bind(side);
  const agent = provisionerAt(boot === undefined ? place : { ...place, bootFromNetwork: () => askFree(() => boot()) });
  return {
    ...agent,
    async register(order) {
      const registered = await agent.register(order);
      if (registered.kind !== 'done') return registered;
      const isAgain = order.haveCredentialsChanged || order.isRetry;
      const problem = await withMachine(
        place,
        async (machine) => (await checkBmc(place, { machine, side, isAgain })) ?? done,
      );
      if (problem.kind !== 'done') return problem;
      const atBmc = await registerAtBmcSide(side, order);
      return atBmc.kind === 'done' ? registered : atBmc;
    },
    look: () => ask((it) => it.look()),
    setPower: (order) => askFree((it) => it.setPower(order)),
    prepare: (order) => askFree((it) => it.prepare(order)),
    service: (order) => askFree((it) => it.service(order)),
    readFirmwareSettings: () => ask((it) => it.readFirmwareSettings()),
    readFirmwareComponents: () => ask((it) => it.readFirmwareComponents()),
    checkUpdates: (updates) => ask(async (it) => (await it.checkUpdates?.(updates)) ?? { kind: 'done', value: [] }),
    attachDataImage: (order) => askFree((it) => it.attachDataImage(order)),
    detachDataImage: (order) => ask((it) => it.detachDataImage(order)),
    async detach(order) {
      const atBmc = await side.detach(order);
      return atBmc.kind === 'done' ? agent.detach(order) : atBmc;
    },
    async remove() {
      const atBmc = await side.remove();
      return atBmc.kind === 'done' ? agent.remove() : atBmc;
    },
  };
}

async function hasCapacity({ records }: AgentParts, host: HostIdentity, limit: number): Promise<Outcome<boolean>> {
  if (limit === 0 || (await records.ofHost(host))?.work !== undefined) return { kind: 'done', value: true };
  return { kind: 'done', value: (await records.countWorking()) < limit };
}

function provisionerAt(place: Workplace): Provisioner {
  return {
    register: (order) => registerHost(place, order),
    importHost: (order) => importHost(place, order),
    adopt: ({ deployment }) => adoptHost(place, deployment),
    inspect: () => inspectHost(place),
    readInventory: () =>
      withMachine(place, async ({ id }) => ({
        kind: 'done',
        value: (await place.parts.records.readDetails(id))?.hardware,
      })),
    look: () => lookAtHost(place),
    prepare: (order) => prepareHost(place, order),
    service: (order) => serviceHost(place, order),
    provision: (order) => provisionHost(place, order),
    deprovision: (order) => deprovisionHost(place, order),
    setPower: (order) => switchPower(place, order),
    detach: (order) => detachHost(place, order),
    remove: () => removeHost(place),
    // There is nothing that an agent can tell of them: none, which is no failure.
    readFirmwareSettings: () => withMachine(place, async () => ({ kind: 'done', value: { settings: {}, schema: {} } })),
    readFirmwareComponents: () => withMachine(place, async () => ({ kind: 'done', value: [] })),
    attachDataImage: () => attachImage(),
    detachDataImage: async () => done,
    setMaintenance: (reason) =>
      withMachine(place, async (machine) => {
        await place.parts.records.change(machine.id, ({ maintenance: _, ...now }) =>
          reason === undefined ? now : { ...now, maintenance: reason },
        );
        return done;
      }),
  };
}

/** What the machine told with its last introduction. */
function inspectHost(place: Workplace): Promise<Outcome<HardwareDetails>> {
  return withFreeMachine<HardwareDetails>(place, async ({ id }) => {
    const details = await place.parts.records.readDetails(id);
    if (details !== undefined) return { kind: 'done', value: details.hardware };
    return waits(place, 'its agent has told nothing of it yet: boot the host from the network');
  });
}
