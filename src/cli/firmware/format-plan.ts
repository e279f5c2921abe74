import {
  describeRestarts,
  type FirmwarePlan,
  type GroupPlan,
  type PlannedFirmware,
  planStates,
  type ServerPlan,
  type WantedBy,
} from '../../firmware/index.ts';
import { formatGrid } from '../objects/table.ts';

/** A plan as text: what would be installed, what would not, the groups, and everything added up. */
export function formatPlan(plan: FirmwarePlan): string {
  const { assumed, servers, groups } = plan;
  const parts = [
    assumed
      .map(({ kind, name, source, change }) => `As if ${kind} ${name} of ${source} was applied (${change}).\n`)
      .join(''),
    grid(
      ['SERVER', 'ORDER', 'FIRMWARE', 'MAKER', 'INSTALLED', 'WANTED', 'FOR', 'RESTARTS'],
      servers.flatMap(installRows),
    ),
    grid(['SERVER', 'NOT NOW', 'MAKER', 'INSTALLED', 'WANTED', 'FOR', 'REASON'], servers.flatMap(waitingRows)),
    grid(['SERVER', 'STATE', 'REASON', 'UNTIL', 'MESSAGE'], servers.flatMap(reasonRows)),
    grid(['GROUP', 'SERVERS', 'APPLIED', 'FAILED', 'WRITES TO', 'REASON', 'MESSAGE'], groups.flatMap(groupRows)),
    totalsText(plan),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** A table; nothing when it has no rows. Texts that devices gave must not reach the terminal as they are. */
export function grid(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const clean = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}+/gu, ' ')));
  return formatGrid({ header, rows: clean }, { hasHeader: true });
}

function installRows({ server, installs, isScanFirst }: ServerPlan): string[][] {
  return installs.map(({ order, restarts, isPowerCycle, isHostOff, ...firmware }) => {
    const host = isHostOff ? 'host, off meanwhile' : isPowerCycle ? 'host, power cycle' : 'host';
    const what = restarts === 'none' ? '-' : restarts === 'bmc' ? 'BMC' : host;
    const sure = firmware.relation === 'missing' && what !== '-' ? `${what}, if it is there` : what;
    return [server, isScanFirst ? `${order} after a scan` : `${order}`, ...firmwareCells(firmware), sure];
  });
}

function waitingRows({ server, waiting }: ServerPlan): string[][] {
  return waiting.map(({ reason, ...firmware }) => [server, ...firmwareCells(firmware), reason]);
}

/** Name, maker, installed, wanted, and who wants it. */
export function firmwareCells(firmware: Omit<PlannedFirmware, 'relation'>): string[] {
  const { manufacturer, installed, wanted, wantedBy, model, softwareId, slot } = firmware;
  const name = [firmware.name, model, softwareId, slot].filter((text) => text !== undefined).join(' ');
  return [name, manufacturer, installed ?? '-', wanted, shortWantedBy(wantedBy)];
}

function shortWantedBy(by: WantedBy): string {
  if (by.kind === 'group') return `group ${by.group}`;
  return by.kind === 'override' ? `override of ${by.group} (${by.groupVersion})` : 'server';
}

function reasonRows({ server, state, reasons, notes, asks, writes, isHostOff }: ServerPlan): string[][] {
  const rows = [...reasons, ...notes].map(({ code, message, until }) => [server, state, code, until ?? '-', message]);
  if (asks.includes('withdraw')) {
    rows.push([server, state, 'Withdrawn', '-', 'The update that was asked for would be taken back.']);
  }
  if (writes !== undefined && writes.takenBack.length > 0) {
    const names = writes.takenBack.map(({ name, version }) => `${name} ${version}`).join(', ');
    rows.push([server, state, 'TakenBack', '-', `Entries of a group would be taken back: ${names}.`]);
  }
  if (isHostOff)
    rows.push([server, state, 'HostIsOff', '-', 'The host is switched on for the update, and off after it.']);
  return rows;
}

function groupRows(group: GroupPlan): string[][] {
  const { name, serversInGroup, updatesApplied, updatesFailed, writesTo, reasons } = group;
  const counts = [name, `${serversInGroup}`, `${updatesApplied}`, `${updatesFailed}`, `${writesTo}`];
  if (reasons.length === 0) return [[...counts, '-', '']];
  return reasons.map(({ code, message }, at) => [...(at === 0 ? counts : counts.map(() => '')), code, message]);
}

function totalsText({ totals, madeAt }: FirmwarePlan): string {
  const { servers, byState, writes, scans, updates, installs, hostReboots, bmcRestarts } = totals;
  const states = planStates.filter((state) => byState[state] > 0).map((state) => `${byState[state]} ${state}`);
  const lines = [
    `${counted(servers, 'server')} at ${madeAt}${states.length === 0 ? '' : `: ${states.join(', ')}`}.`,
    ...(writes === 0 ? [] : [`Groups would write to ${counted(writes, 'server')} first.`]),
    ...(scans === 0 ? [] : [`${counted(scans, 'server')} would be scanned first.`]),
    updates === 0
      ? 'Nothing would be installed now.'
      : `${counted(updates, 'server')} would be updated: ${counted(installs, 'install')} with ${describeRestarts({ hostReboots, bmcRestarts })}.`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
