import { type BMC, ironcoreConditions, ironcoreReasons, jobWaitReasons } from '../../api/index.ts';
import { asSentence, conditionOf, namesForPeople } from '../conditions.ts';
import { describeEntry } from '../server/desired.ts';
import type { Explained } from './explain-server.ts';
import type { PlannedFirmware, ServerPlan, WantedBy } from './plan.ts';

/** An explanation in plain sentences, the most important first. */
export function sentencesOf(explained: Explained, bmc: BMC | undefined): readonly string[] {
  const { plan } = explained;
  return [
    introduce(explained),
    ...tellState(explained),
    ...plan.reasons.map(({ message }) => asSentence(message)),
    ...tellWaiting(plan),
    ...plan.notes.map(({ message }) => asSentence(message)),
    ...tellGroup(explained),
    ...tellOverrides(explained),
    ...tellHistory(explained),
    ...tellBoard(explained, bmc),
    tellNext(explained),
  ].filter((each, at, all) => each !== '' && all.indexOf(each) === at);
}

function introduce({ server, serverFirmware }: Explained): string {
  const about = serverFirmware === undefined ? 'It has no ServerFirmware.' : `Its ServerFirmware is ${serverFirmware}.`;
  if (!server.isThere) return `There is no Server ${server.name}; the ServerFirmware ${serverFirmware} refers to it.`;
  const what =
    server.manufacturer === undefined
      ? 'of hardware that is not known yet'
      : `a ${[server.manufacturer, server.model].filter((each) => each !== undefined).join(' ')}`;
  const behind = server.bmcAddress === undefined ? '' : ` behind the BMC at ${server.bmcAddress}`;
  const where = server.bmc === undefined ? behind : ` behind BMC ${server.bmc}`;
  return `Server ${server.name} is ${what}${where}, system UUID ${server.systemUUID}. ${about}`;
}

function tellState({ plan, since }: Explained): string[] {
  const when = since === undefined ? '' : ` since ${since}`;
  switch (plan.state) {
    case 'update':
      if (plan.installs.length === 0) {
        return [
          `It is not as wanted${when}. An update would be asked for of versions that are listed for other products.`,
        ];
      }
      return [
        `It is not as wanted${when}, and an update would be asked for${plan.isScanFirst ? ' after a scan' : ' now'}: ${describeInstalls(plan)}.`,
        `That takes ${describeRestarts(plan)}.`,
      ];
    case 'scan':
      return [`A scan is due${when}, and would be asked for now.`];
    case 'under-way':
      return [
        isHeldUp(plan)
          ? `An update was asked for, and is kept from beginning${when}.`
          : `Something is under way${when}.`,
      ];
    case 'waits':
      return [`It waits${when}, and tries again by itself.`];
    case 'blocked':
      return [`It is kept from what is wanted${when}.`];
    case 'inert':
      return [`It is left alone${when}.`];
    case 'no-target':
      return [];
    case 'up-to-date':
      return [`Everything wanted is installed${when}.`];
  }
}

/** Whether the open request waits for somebody, and not for its turn. */
function isHeldUp({ reasons }: ServerPlan): boolean {
  // The job of a lost worker has begun.
  return reasons.some(({ code }) => code !== ironcoreReasons.workerLost && jobWaitReasons.includes(code));
}

function describeInstalls({ installs }: ServerPlan): string {
  const describe = (each: PlannedFirmware): string =>
    `${describeFirmware(each)} for ${describeWantedBy(each.wantedBy)}`;
  return installs.map(describe).join(', then ');
}

function tellWaiting({ waiting }: ServerPlan): string[] {
  const told = waiting.map(
    (each) => `${describeFirmware(each)} for ${describeWantedBy(each.wantedBy)} (${each.reason})`,
  );
  return told.length === 0 ? [] : [`Not installed now: ${told.join('; ')}.`];
}

/** `nic (Intel) 1.0 to 2.0`. */
export function describeFirmware({ installed, wanted, ...entry }: PlannedFirmware): string {
  return `${describeEntry(entry)} ${installed === undefined ? wanted : `${installed} to ${wanted}`}`;
}

/** Who wants a version, in words. */
export function describeWantedBy(by: WantedBy): string {
  switch (by.kind) {
    case 'group':
      return `the group ${by.group}`;
    case 'override':
      return `an override of ${by.groupVersion} of the group ${by.group}`;
    case 'server':
      return 'the server itself';
  }
}

/** `2 reboots of the host and 1 restart of the BMC`. */
export function describeRestarts({
  hostReboots,
  bmcRestarts,
}: Pick<ServerPlan, 'hostReboots' | 'bmcRestarts'>): string {
  const host = `${hostReboots} ${hostReboots === 1 ? 'reboot' : 'reboots'} of the host`;
  const board = `${bmcRestarts} ${bmcRestarts === 1 ? 'restart' : 'restarts'} of the BMC`;
  return `${host} and ${board}`;
}

function tellGroup({ plan, serverFirmware }: Explained): string[] {
  const { group, writes, reasons } = plan;
  const isTold = reasons.some(({ code }) => ['SelectorConflict', 'OtherHardware', 'HardwareUnknown'].includes(code));
  const told: string[] = [];
  if (group !== undefined) told.push(`It is in the group ${group}.`);
  else if (!isTold && serverFirmware !== undefined) told.push('No group selects it.');
  if (writes === undefined) return told;
  const set = writes.set.map(({ name, version }) => `${name} ${version}`);
  const back = writes.takenBack.map(({ name, version }) => `${name} ${version}`);
  if (set.length > 0) told.push(`The group ${writes.group} would write ${namesForPeople(set)} into it first.`);
  if (back.length > 0) told.push(`Entries of a group would be taken back from it first: ${namesForPeople(back)}.`);
  return told;
}

function tellOverrides({ wanted }: Explained): string[] {
  return wanted.flatMap(({ name, manufacturer, wanted: version, wantedBy: by }) =>
    by.kind === 'override'
      ? [`${name} (${manufacturer}) ${version} is an override: the group ${by.group} wants ${by.groupVersion}.`]
      : [],
  );
}

const became = {
  'under-way': 'it has not reported yet',
  reported: 'it has ended, and what came of it is judged at the next look',
  superseded: 'it is not waited for, since other versions are wanted now',
  lost: 'nobody has reported for so long that it is asked for again',
} as const;

function tellHistory({ request, lastReport, attempts, failedScans, plan }: Explained): string[] {
  const told: string[] = [];
  if (request !== undefined) {
    const { kind, jobID, time } = request;
    const job = jobID === 'unsent' ? '' : ` as job ${jobID}`;
    told.push(`The last request was the ${kind.toLowerCase()} of ${time}${job}; ${became[request.became]}.`);
  } else if (lastReport !== undefined) told.push(`The last job that reported was ${lastReport}.`);
  if (plan.lastScanTime !== undefined) told.push(`The installed versions were last read at ${plan.lastScanTime}.`);
  if (attempts !== undefined && attempts.failed > 0) {
    const { failed, most, lastFailureTime, message } = attempts;
    const last = lastFailureTime === undefined ? '' : `, last at ${lastFailureTime}`;
    told.push(asSentence(`${failed} of ${most} attempts at this list failed${last}: ${message ?? 'no reason given'}`));
  }
  if (failedScans !== undefined && failedScans.failed > 0) {
    const { failed, message } = failedScans;
    told.push(
      asSentence(`${failed} ${failed === 1 ? 'scan' : 'scans in a row'} failed: ${message ?? 'no reason given'}`),
    );
  }
  return told;
}

function tellBoard({ server }: Explained, bmc: BMC | undefined): string[] {
  if (bmc === undefined) {
    return server.bmc === undefined ? [] : [`There is no BMC ${server.bmc}, so it cannot be reached.`];
  }
  const ready = conditionOf(bmc.status?.conditions, ironcoreConditions.ready);
  if (ready === undefined || ready.status === 'True') return [];
  return [asSentence(`Its BMC ${bmc.metadata.name} is not ready (${ready.reason}): ${ready.message}`)];
}

function tellNext({ plan, isObserved }: Explained): string {
  const behind = isObserved
    ? ''
    : ' The controllers have not looked at it since it changed: if that stays so, they do not run.';
  if (plan.serverFirmware === undefined) return '';
  if (plan.state === 'blocked' && plan.asks.length > 0) {
    return `It is asked for again by itself after a while, and when something changes.${behind}`;
  }
  const next =
    plan.lookedAtNext === undefined
      ? 'It is looked at next when something changes'
      : `It is looked at next at ${plan.lookedAtNext}, or when something changes`;
  return `${next}.${behind}`;
}
