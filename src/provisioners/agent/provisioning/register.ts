import { randomUUID } from 'node:crypto';
import type { Deployment, Importing, Outcome, Registration } from '../../provisioner.ts';
import { isOf, type MachineRecord, withoutAgent } from '../records/machine-record.ts';
import { imageMarkOf } from './without-secrets.ts';
import { done, fails, partWithAgent, type Workplace, waits, withMachine } from './workplace.ts';

type Registered = Outcome<{ readonly id: string }>;

/** Takes a host in whose agent has introduced itself or can be started, and one that runs what was deployed before. */
export async function registerHost(place: Workplace, order: Registration): Promise<Registered> {
  const { parts, host } = place;
  const own = await parts.records.ofHost(host);
  if (own !== undefined) return { kind: 'done', value: { id: own.id } };
  const isInUse = order.current !== undefined || order.isExternallyProvisioned;
  const use = isInUse ? ({ use: 'deployed', ...imageIn(order.current) } as const) : {};
  const known = await findMachine(place);
  if (known !== undefined) return claim(place, known, use);
  return isInUse || canBeStarted(place) ? makeUnseen(place, use) : waits(place, whyUnknown(place));
}

/** Whether its BMC can bring its agent, which is recognised by the MAC that it boots from. */
function canBeStarted({ host, bootFromNetwork }: Workplace): boolean {
  return bootFromNetwork !== undefined && host.bootMacAddress !== undefined;
}

/** Makes a machine of what only its host tells of: it has never been here. */
async function makeUnseen(
  { parts, host }: Workplace,
  use: Partial<Pick<MachineRecord, 'use' | 'image'>>,
): Promise<Registered> {
  const { marks } = host;
  const mac = host.bootMacAddress?.toLowerCase() ?? '';
  const macs = [...new Set([...(mac === '' ? [] : [mac]), ...(marks?.macs ?? [])])];
  const put: MachineRecord = {
    ...{ id: `agent-${randomUUID()}`, bootMac: mac, macs, serialNumber: marks?.serialNumber },
    ...{ use: 'unused', ...use, host: { namespace: host.namespace, name: host.name } },
  };
  await parts.records.settle(put, () => ({ put }));
  return { kind: 'done', value: { id: put.id } };
}

function whyUnknown({ host }: Workplace): string {
  const mac = host.bootMacAddress;
  if (mac === undefined) return 'a host that its agent looks after needs bootMACAddress: that is how it is recognised';
  return `no agent of a machine with the MAC ${mac} has introduced itself: boot the host from the network`;
}

/** By its id, else by the MAC that it boots from. */
async function findMachine(place: Workplace): Promise<MachineRecord | undefined> {
  const { id } = place.host;
  const named = id === undefined ? undefined : await place.parts.records.read(id);
  if (named !== undefined && named.isRemoved !== true) return named;
  return findByMac(place);
}

/** The machine of a host by the MAC that it boots from, unless that is in other hardware by now. */
export async function findByMac({ parts, host }: Workplace): Promise<MachineRecord | undefined> {
  const mac = host.bootMacAddress?.toLowerCase() ?? '';
  if (mac === '') return undefined;
  const alike = await parts.records.alike({ macs: [mac], bootMac: mac });
  const found = alike.filter((each) => each.isRemoved !== true && isSameNumber(each, host));
  return found.find(({ bootMac }) => bootMac === mac) ?? found[0];
}

function isSameNumber({ serialNumber = '' }: MachineRecord, { marks }: Workplace['host']): boolean {
  const known = marks?.serialNumber ?? '';
  return known === '' || serialNumber === '' || known === serialNumber;
}

/**
 * Takes over a machine that introduced itself, by its id; where that is not known any more, by the MAC that it boots from.
 * A host that runs something is taken over as it is, also where nothing is known of its machine.
 */
export async function importHost(place: Workplace, { current }: Importing): Promise<Registered> {
  const { parts, host } = place;
  const { id, bootMacAddress } = host;
  const own = await parts.records.ofHost(host);
  if (own !== undefined) return whatItHas(own, host);
  if (id === undefined && bootMacAddress === undefined) {
    return fails('it is not known which machine is meant: the host has neither a provisioner id nor bootMACAddress');
  }
  const use = current === undefined ? {} : ({ use: 'deployed', ...imageIn(current) } as const);
  const named = id === undefined ? undefined : await parts.records.read(id);
  if (named === undefined || named.isRemoved === true) {
    const found = await findByMac(place);
    if (found !== undefined) return claim(place, found, use);
    return current === undefined ? { kind: 'unregistered' } : makeUnseen(place, use);
  }
  const wrong = wrongMac(named, host);
  return wrong === undefined ? claim(place, named, use) : wrong;
}

function whatItHas(own: MachineRecord, host: Workplace['host']): Registered {
  return wrongMac(own, host) ?? { kind: 'done', value: { id: own.id } };
}

function wrongMac({ id, macs }: MachineRecord, { bootMacAddress }: Workplace['host']): Outcome<never> | undefined {
  if (bootMacAddress === undefined || macs.includes(bootMacAddress.toLowerCase())) return undefined;
  return fails(`the machine ${id} has no NIC with the MAC ${bootMacAddress}: correct bootMACAddress`);
}

async function claim(
  place: Workplace,
  { id }: MachineRecord,
  use: Partial<Pick<MachineRecord, 'use' | 'image'>>,
): Promise<Registered> {
  const { parts, host } = place;
  const { namespace, name } = host;
  const isFree = (now: MachineRecord): boolean => now.host === undefined && now.isRemoved !== true;
  const after = (now: MachineRecord): MachineRecord => (use.use === 'deployed' ? withoutAgent(now) : now);
  const machine = await parts.records.change(id, (now) =>
    isFree(now) ? { ...after(now), ...use, host: { namespace, name } } : undefined,
  );
  if (machine === undefined) return { kind: 'unregistered' };
  if (machine.token === undefined) partWithAgent(place, id);
  if (isOf(machine, host)) return { kind: 'done', value: { id } };
  const owner = machine.host === undefined ? 'nobody' : `the host ${machine.host.namespace}/${machine.host.name}`;
  return fails(`its machine ${id} is that of ${owner}; two hosts cannot have one`);
}

/** Takes a host over that runs what somebody deployed before. */
export function adoptHost(place: Workplace, deployment: Deployment | undefined): Promise<Outcome> {
  return withMachine(place, async (machine) => {
    // What is on its way back from use is not taken over: that would begin all again.
    if (machine.use === 'deployed' || machine.work !== undefined) return done;
    const deployed = { use: 'deployed', ...imageIn(deployment) } as const;
    await place.parts.records.change(machine.id, (now) => ({ ...withoutAgent(now), ...deployed }));
    partWithAgent(place, machine.id);
    return done;
  });
}

function imageIn(deployment: Deployment | undefined): { readonly image?: string } {
  const url = deployment?.image?.url ?? '';
  return url === '' ? {} : { image: imageMarkOf(url) };
}
