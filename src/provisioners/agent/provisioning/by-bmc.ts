import { readBmcAddress } from '../../bmc-address/index.ts';
import type { BmcMarks, HostIdentity, Outcome, Provisioner, Provisioners, Registration } from '../../provisioner.ts';
import { isLocalMac } from '../records/local-mac.ts';
import type { MachineRecord } from '../records/machine-record.ts';
import { fails, type Workplace } from './workplace.ts';

/** What a host's BMC can be asked for, where there are credentials and somebody who knows BMCs. */
export type BmcSide = (host: HostIdentity) => Provisioner | undefined;

/**
 * The side of hosts that got credentials of a BMC: power, health and firmware are looked after there, by a provisioner
 * that knows BMCs; disks stay with the agent.
 */
export function createBmcSide(beside: Provisioners | undefined): BmcSide {
  return (host) => {
    const bmc: HostIdentity['bmc'] | undefined = host.bmc;
    if (beside === undefined || bmc?.credentials === undefined) return undefined;
    // Its id is of no use there.
    const { id: _, ...rest } = host;
    return beside.of(rest);
  };
}

/** The BMC's side has nothing to do with the disk; it only has to know whether the host is in use. */
function registrationOf({ use }: MachineRecord): Registration {
  return {
    isRetry: false,
    haveCredentialsChanged: false,
    bootMode: 'UEFI',
    cleaningMode: 'disabled',
    isExternallyProvisioned: use === 'deployed',
    isBootImageSpared: true,
  };
}

/**
 * Makes sure that a BMC is the one of a machine, by what both tell of it: power, and all that restarts, would hit somebody
 * else's otherwise. Undefined where nothing speaks against it. What was found is kept, for that address.
 */
export async function checkBmc(
  { parts, host }: Workplace,
  {
    machine,
    side,
    isAgain,
  }: { readonly machine: MachineRecord; readonly side: Provisioner; readonly isAgain: boolean },
): Promise<Outcome<never> | undefined> {
  const bmcAddress = spellOnce(host.bmc?.address ?? '');
  if (side.readMarks === undefined || (machine.bmcAddress === bmcAddress && !isAgain)) return undefined;
  const told = await side.readMarks();
  if (told.kind !== 'done') return told;
  const message = contradictionOf(machine, host, told.value);
  await parts.records.change(machine.id, ({ bmcAddress: _, ...now }) =>
    message === undefined ? { ...now, bmcAddress } : now,
  );
  return message === undefined ? undefined : fails(message);
}

function spellOnce(address: string): string {
  const reading = readBmcAddress(address);
  return reading.kind === 'known' ? reading.address.system : address;
}

/** One MAC in common is enough, and so is the serial number: a BMC may not know all NICs, nor tell the same number. */
function contradictionOf(machine: MachineRecord, host: HostIdentity, bmc: BmcMarks): string | undefined {
  // A machine that was never here has told nothing: its host may know more.
  const own = machine.introducedAtMs === undefined ? (host.marks ?? { macs: [] }) : machine;
  const { serialNumber = '' } = own;
  if (bmc.macs.some((mac) => isTelling(mac, machine) && own.macs.includes(mac))) return undefined;
  if (bmc.serialNumbers.includes(serialNumber)) return undefined;
  const isOtherNumber = serialNumber !== '' && bmc.serialNumbers.length > 0;
  if (!isOtherNumber && (own.macs.length === 0 || bmc.macs.length === 0)) return undefined;
  const [number = 'unknown'] = bmc.serialNumbers;
  const theirs = `serial number ${number}, MACs ${bmc.macs.slice(0, 4).join(', ') || 'unknown'}`;
  const ours = `serial number ${serialNumber || 'unknown'}, MACs ${own.macs.slice(0, 4).join(', ') || 'unknown'}`;
  return `the BMC is that of another machine (${theirs}) than the one of this host (${ours}): correct spec.bmc`;
}

/** Some vendors give all their machines the same MAC inside, which is a local one: sharing that says nothing. */
function isTelling(mac: string, { bootMac }: MachineRecord): boolean {
  return mac === bootMac || !isLocalMac(mac);
}

/** Asks the BMC's side, which is told of the host first where it does not know it. The host is taken over as it is. */
export async function askBmcSide<T>(
  side: Provisioner,
  machine: MachineRecord,
  question: (side: Provisioner) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await question(side);
  if (outcome.kind !== 'unregistered') return outcome;
  const registered = await side.register(registrationOf(machine));
  return registered.kind === 'done' ? question(side) : registered;
}

/** Tells the BMC's side of new credentials; says what is wrong with them. */
export function registerAtBmcSide(
  side: Provisioner,
  machine: MachineRecord,
  { haveCredentialsChanged, isRetry }: Registration,
): Promise<Outcome<{ readonly id: string }>> {
  return side.register({ ...registrationOf(machine), haveCredentialsChanged, isRetry });
}
