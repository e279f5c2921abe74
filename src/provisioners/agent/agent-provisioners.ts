import type { CapacityOrder, HostIdentity, Outcome, Provisioner, Provisioners } from '../provisioner.ts';
import { createAgentSource } from './discovery/agent-source.ts';
import type { AgentParts } from './parts.ts';
import { askBmcSide, checkBmc, createBmcSide, registerAtBmcSide } from './provisioning/by-bmc.ts';
import { deprovisionHost } from './provisioning/deprovision.ts';
import { detachHost, removeHost } from './provisioning/forget.ts';
import { inspectHost } from './provisioning/inspect.ts';
import { provisionHost } from './provisioning/provision.ts';
import { adoptHost, importHost, registerHost } from './provisioning/register.ts';
import { attachImage, lookAtHost, prepareHost, serviceHost, switchPower } from './provisioning/what-agents-cannot.ts';
import { done, loseAgent, type Workplace, withFreeMachine, withMachine } from './provisioning/workplace.ts';
import type { MachineRecord } from './records/machine-record.ts';

/**
 * Hosts that their agents look after: images are written by an agent that a host booted from the network. Power, firmware
 * and RAID are refused, but where `beside` knows the BMC of a host: it then looks after these, and starts the agent.
 */
export function createAgentProvisioners(
  parts: AgentParts,
  { limit, beside }: { readonly limit: number; readonly beside: Provisioners | undefined },
): Provisioners {
  const sideOf = createBmcSide(beside);
  return {
    of: (host) => withBmcSide({ parts, host }, sideOf(host)),
    hasCapacity: (host, order) => hasCapacity(parts, { host, order, limit, beside }),
    bootImageFormats: undefined,
    worksByConditions: beside?.worksByConditions,
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
      (await checkBmc(place, { machine, side, isAgain: false })) ?? askBmcSide(side, machine, question);
  const ask = <T>(question: (side: Provisioner) => Promise<Outcome<T>>) => withMachine(place, put(question));
  const askFree = <T>(question: (side: Provisioner) => Promise<Outcome<T>>) => withFreeMachine(place, put(question));
  const boot = side.bootFromNetwork?.bind(side);
  const agent = provisionerAt(boot === undefined ? place : { ...place, bootFromNetwork: () => askFree(() => boot()) });
  /** What is in use there is in use here, and the other way round. */
  const beInUse = () => ask((it) => it.adopt({ isRetry: false }));
  return {
    ...agent,
    async register(order) {
      const registered = await agent.register(order);
      if (registered.kind !== 'done') return registered;
      const isAgain = order.haveCredentialsChanged || order.isRetry;
      const atBmc = await withMachine(
        place,
        async (machine) =>
          (await checkBmc(place, { machine, side, isAgain })) ?? registerAtBmcSide(side, machine, order),
      );
      return atBmc.kind === 'done' ? registered : atBmc;
    },
    async adopt(order) {
      const adopted = await agent.adopt(order);
      return adopted.kind === 'done' ? beInUse() : adopted;
    },
    look: () =>
      withMachine(place, async (machine) => {
        const seen = await put((it) => it.look())(machine);
        // Whatever ran there was heard a moment ago, and may be counted on all the same.
        const isOff = seen.kind === 'done' && seen.value.isPoweredOn === false;
        if (isOff && place.parts.hearing.isHeard(machine)) await loseAgent(place, machine.id);
        return seen;
      }),
    setPower: (order) =>
      withFreeMachine(place, async (machine) => {
        const outcome = await put((it) => it.setPower(order))(machine);
        if (order.target === 'reboot' && outcome.kind === 'done') await loseAgent(place, machine.id);
        return outcome;
      }),
    // Changes of firmware are work of the engine, for which the host is in maintenance too.
    prepare: (order) => ask((it) => it.prepare(order)),
    service: (order) => ask((it) => it.service(order)),
    async provision(order) {
      const provisioned = await agent.provision(order);
      return provisioned.kind === 'done' ? beInUse() : provisioned;
    },
    async deprovision(order) {
      const deprovisioned = await agent.deprovision(order);
      // It is told of the host anew when it is asked next: of one that nobody uses.
      return deprovisioned.kind === 'done' ? side.detach({ isForced: true }) : deprovisioned;
    },
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
    async setMaintenance(reason) {
      const atBmc = await side.setMaintenance(reason);
      // What is not known there is left alone there.
      return atBmc.kind === 'done' || atBmc.kind === 'unregistered' ? agent.setMaintenance(reason) : atBmc;
    },
  };
}

interface CapacityQuestion {
  readonly host: HostIdentity;
  readonly order: CapacityOrder | undefined;
  readonly limit: number;
  readonly beside: Provisioners | undefined;
}

/** Firmware of hosts in use is changed by their BMCs, which count that themselves. */
async function hasCapacity({ records }: AgentParts, question: CapacityQuestion): Promise<Outcome<boolean>> {
  const { host, order, limit, beside } = question;
  if (order?.what === 'service' && beside !== undefined) return beside.hasCapacity(host, order);
  if (limit === 0 || (await records.ofHost(host))?.work !== undefined) return { kind: 'done', value: true };
  return { kind: 'done', value: (await records.countWorking()) < limit };
}

function provisionerAt(place: Workplace): Provisioner {
  return {
    register: (order) => registerHost(place, order),
    importHost: (order) => importHost(place, order),
    adopt: ({ deployment }) => adoptHost(place, deployment),
    inspect: (order) => inspectHost(place, order),
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
