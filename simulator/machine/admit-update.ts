import { type Examination, examineImage, slotsOfTarget } from './examine-image.ts';
import type { MachineBody } from './machine-body.ts';
import { type UpdateRules, updateRulesOf } from './rules.ts';
import type { UpdateRecord } from './update-record.ts';
import type { ApplyTime, UpdateRefusal, UpdateRequest } from './updates.ts';

const applyTimes: readonly ApplyTime[] = [
  'Immediate',
  'OnReset',
  'OnStartUpdateRequest',
  'AtMaintenanceWindowStart',
  'InMaintenanceWindowOnReset',
  'OnTargetReset',
];

/** An update that may begin: when it applies, and what a pushed file is. */
export interface Admission {
  readonly applyTime: ApplyTime;
  readonly examination: Examination | undefined;
}

/** Decides whether an update may begin now. */
export function admitUpdate(
  machine: MachineBody,
  request: UpdateRequest,
  others: readonly UpdateRecord[],
): Admission | UpdateRefusal {
  const rules = updateRulesOf(machine.personality);
  if (request.via === 'pull' ? !request.imageUri : request.file === undefined) {
    return { fault: 'missing-member', detail: request.via === 'pull' ? 'ImageURI' : 'UpdateFile' };
  }
  const applyTime = chooseApplyTime(machine, request.applyTime, rules);
  if (applyTime === undefined) return { fault: 'unsupported-apply-time', detail: String(request.applyTime) };
  const strange = request.targets.find((target) => slotsOfTarget(machine, target) === undefined);
  if (strange !== undefined) return { fault: 'wrong-target', detail: strange };
  const active = others.find((other) => other.isActive);
  if (active !== undefined && rules.concurrency === 'refuse')
    return { fault: 'busy', detail: `update ${active.id} is ${active.phase}` };
  const examination = request.file === undefined ? undefined : examineImage(machine, request.file, request.targets);
  return refuseImage(machine, { examination, rules, others }) ?? { applyTime, examination };
}

function chooseApplyTime(machine: MachineBody, asked: string | undefined, rules: UpdateRules): ApplyTime | undefined {
  const offered = machine.personality.update.applyTimes;
  if (asked !== undefined) {
    const known = applyTimes.find((time) => time === asked);
    return known !== undefined && (offered.includes(known) || (offered.length === 0 && known === 'Immediate'))
      ? known
      : undefined;
  }
  if (rules.defaultApplyTime !== undefined) return rules.defaultApplyTime;
  if (offered.length === 0 || offered.includes('Immediate')) return 'Immediate';
  return applyTimes.find((time) => time === offered[0]);
}

function refuseImage(
  machine: MachineBody,
  seen: {
    readonly examination: Examination | undefined;
    readonly rules: UpdateRules;
    readonly others: readonly UpdateRecord[];
  },
): UpdateRefusal | undefined {
  const { examination, rules, others } = seen;
  if (examination === undefined) return undefined;
  if (examination.fault !== undefined) {
    if (!rules.refusesAtOnce.includes(examination.fault)) return undefined;
    return { fault: examination.fault, detail: examination.header?.softwareId ?? '' };
  }
  const rival = findRival(examination, others);
  if (rival !== undefined) return { fault: 'busy', detail: `update ${rival.id} of the same part is ${rival.phase}` };
  return needsHostOff(machine, examination) ? { fault: 'host-must-be-off', detail: machine.power.state } : undefined;
}

/** An update that is not over and writes a slot that the image would write too. */
export function findRival(
  examination: Pick<Examination, 'slots'>,
  others: readonly UpdateRecord[],
): UpdateRecord | undefined {
  return others.find((other) => !other.isOver && other.slots.some((slot) => examination.slots.includes(slot)));
}

/** True when the image may not be written while the host is on. */
export function needsHostOff(machine: MachineBody, image: Pick<Examination, 'header'>): boolean {
  const isBios = image.header?.component === 'bios';
  return isBios && updateRulesOf(machine.personality).biosNeedsHostOff && machine.power.state !== 'Off';
}
