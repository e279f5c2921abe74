import {
  ironcoreConditions,
  ironcoreReasons,
  operationAnnotation,
  retryOperation,
  type ServerFirmwareGroup,
  type ServerFirmwareGroupStatus,
} from '../../api/index.ts';
import { type Decision, type EventDraft, type Instant, takeStep } from '../../kube/index.ts';
import { type ConditionDraft, conditionOf, namesForPeople, writeConditions } from '../conditions.ts';
import { isHalted, isPaused } from '../fleet/fleet.ts';
import type { FirmwareSettings } from '../settings.ts';
import { type GroupPhase, groupTable } from './group-table.ts';
import type { MemberStanding } from './member-standing.ts';

/** What the server-group-controller counts. */
export interface GroupSeen {
  readonly group: ServerFirmwareGroup;
  /** Everything its selector selects. */
  readonly selected: readonly MemberStanding[];
  readonly settings: Pick<FirmwareSettings, 'haltShare' | 'haltLeast'>;
}

/** What a group does besides telling its status. */
export type GroupEffect =
  /** Passes a retry on to a server that gave up. */
  | { readonly kind: 'retry-member'; readonly key: string; readonly name: string }
  /** Takes the annotation away, once every server was told. */
  | { readonly kind: 'consume-retry'; readonly key: string };

/** What is decided about one group. */
export type GroupDecision = Decision<GroupEffect, ServerFirmwareGroupStatus>;

const { ready, halted, paused, selectorConflict, otherHardware } = ironcoreConditions;
const ownConditions: readonly string[] = [ready, halted, paused, selectorConflict, otherHardware];

/** Counts a group and decides whether it goes on. Pure. */
export function decideGroup(seen: GroupSeen, now: Instant): GroupDecision {
  const tally = count(seen);
  const phase = settle(seen, tally, now);
  const status = statusOf(seen, tally, { phase, now });
  return {
    effects: retryEffects(seen),
    status,
    wake: { on: 'change' },
    why: (status.conditions ?? []).map(({ reason, message, lastTransitionTime }) => ({
      code: reason,
      message,
      since: Date.parse(lastTransitionTime),
    })),
    events: eventsOf(seen, status),
    state: phase,
  };
}

interface Tally {
  readonly members: readonly MemberStanding[];
  readonly applied: number;
  readonly failed: readonly string[];
  readonly contested: readonly MemberStanding[];
  readonly others: readonly string[];
  /** What those of other hardware are, with how many there are of each. */
  readonly otherModels: readonly string[];
  readonly unknown: readonly string[];
  /** Those not applied to which nothing more happens by itself, with why. */
  readonly stopped: readonly string[];
  /** So many failed servers are too many. */
  readonly limit: number;
}

function count({ selected, settings }: GroupSeen): Tally {
  const members = selected.filter(({ fit }) => fit === 'same');
  const namesOf = (list: readonly MemberStanding[]): string[] => list.map(({ name }) => name).toSorted();
  return {
    members,
    applied: members.filter(({ isApplied }) => isApplied).length,
    failed: namesOf(members.filter(({ isFailed }) => isFailed)),
    contested: selected.filter(({ contestedBy }) => contestedBy.length > 0),
    others: namesOf(selected.filter(({ fit }) => fit === 'other')),
    otherModels: modelsOf(selected.filter(({ fit }) => fit === 'other')),
    unknown: namesOf(selected.filter(({ fit }) => fit === 'unknown')),
    stopped: members
      .flatMap(({ name, isApplied, stoppedBy }) =>
        isApplied || stoppedBy === undefined ? [] : [`${name} (${stoppedBy})`],
      )
      .toSorted(),
    limit: Math.max(settings.haltLeast, Math.ceil(members.length * settings.haltShare)),
  };
}

function modelsOf(standings: readonly MemberStanding[]): string[] {
  const byModel = [...Map.groupBy(standings, ({ hardware }) => hardware)];
  return byModel.map(([hardware, those]) => `${those.length} × ${hardware || 'unknown hardware'}`).toSorted();
}

function hasRetry({ metadata }: ServerFirmwareGroup): boolean {
  return metadata.annotations?.[operationAnnotation] === retryOperation;
}

function settle({ group }: GroupSeen, tally: Tally, now: Instant): GroupPhase {
  const facts = {
    paused: isPaused(group),
    conflict: tally.contested.length > 0,
    failures: failuresOf(group, tally),
    released: hasRetry(group) || isChangedSinceHalt(group),
  } as const;
  let state: GroupPhase = isHalted(group) ? 'Halted' : 'Active';
  for (let steps = 0; steps < groupTable.states.length; steps++) {
    const next: GroupPhase = takeStep(groupTable, { state, since: now }, facts, now).position.state;
    if (next === state) break;
    state = next;
  }
  return state;
}

function failuresOf(group: ServerFirmwareGroup, { failed, limit }: Tally): 'none' | 'few' | 'many' {
  // Servers that are about to try again have not failed.
  if (failed.length === 0 || hasRetry(group)) return 'none';
  return failed.length >= limit ? 'many' : 'few';
}

function isChangedSinceHalt({ metadata, status }: ServerFirmwareGroup): boolean {
  return (conditionOf(status?.conditions, halted)?.observedGeneration ?? 0) < (metadata.generation ?? 0);
}

function statusOf(
  { group }: GroupSeen,
  tally: Tally,
  { phase, now }: { readonly phase: GroupPhase; readonly now: Instant },
): ServerFirmwareGroupStatus {
  const { generation } = group.metadata;
  const { members, applied, failed } = tally;
  const context = { before: group.status?.conditions, generation, now };
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    serversInGroup: members.length,
    updatesApplied: applied,
    updatesNotApplied: members.length - applied,
    updatesFailed: failed.length,
    conditions: writeConditions(draftsOf(group, tally, phase), context, ownConditions),
  };
}

function draftsOf(group: ServerFirmwareGroup, tally: Tally, phase: GroupPhase): ConditionDraft[] {
  return [
    readyDraft(group, tally, phase),
    haltDraft(tally, phase),
    pauseDraft(group),
    conflictDraft(tally),
    otherDraft(tally),
  ];
}

function readyDraft({ spec }: ServerFirmwareGroup, tally: Tally, phase: GroupPhase): ConditionDraft {
  const { members, applied, unknown, stopped } = tally;
  const left = stopped.length === 0 ? '' : ` Nothing is done on these until somebody acts: ${namesForPeople(stopped)}.`;
  const told = `${applied} of ${members.length} servers have everything installed.${left}`;
  const draft = (status: ConditionDraft['status'], reason: string, message = told): ConditionDraft => ({
    type: ready,
    status,
    reason,
    message,
  });
  if (phase === 'Halted' || phase === 'Paused') return draft('False', phase);
  if (tally.contested.length > 0) return draft('False', selectorConflict);
  if ((spec.firmwares ?? []).length === 0) {
    return draft('False', ironcoreReasons.noTarget, 'The group declares no firmware version.');
  }
  if (applied < members.length) {
    return draft('False', stopped.length === members.length - applied ? 'NeedsAttention' : 'Applying');
  }
  // Whoever waits for it does not want to be told before its servers are known.
  if (unknown.length > 0) {
    return draft('Unknown', 'HardwareUnknown', `${told} Not known yet what they are: ${namesForPeople(unknown)}.`);
  }
  if (members.length > 0) return draft('True', 'AllApplied');
  return draft('False', 'NoServers', describeNoServers(spec, tally));
}

function describeNoServers(
  { manufacturer, model }: ServerFirmwareGroup['spec'],
  { others, otherModels }: Tally,
): string {
  if (others.length === 0) return 'No server is in the group: its selector selects none.';
  const selected = others.length === 1 ? 'the server' : `all ${others.length} servers`;
  const verb = others.length === 1 ? 'is' : 'are';
  return `No server is in the group: ${selected} that its selector selects ${verb} other hardware than ${manufacturer} ${model}. Selected are ${namesForPeople(otherModels)}. Set spec.manufacturer and spec.model to one of these, or change the selector.`;
}

function haltDraft({ failed, limit }: Tally, phase: GroupPhase): ConditionDraft {
  const names = namesForPeople(failed);
  if (phase !== 'Halted') {
    const message =
      failed.length === 0 ? '' : `${failed.length} servers failed, ${limit} would halt the group: ${names}.`;
    return { type: halted, status: 'False', reason: 'NotHalted', message };
  }
  const message = `${failed.length} servers failed the wanted versions (${limit} are too many): ${names}. Nothing more is written or updated. Change what the group wants, or annotate it with ${operationAnnotation}: ${retryOperation}.`;
  return { type: halted, status: 'True', reason: 'TooManyFailed', message };
}

/** Told of a halted group, too. */
function pauseDraft(group: ServerFirmwareGroup): ConditionDraft {
  return isPaused(group)
    ? { type: paused, status: 'True', reason: 'PausedBySpec', message: 'spec.paused is true: nothing is written.' }
    : { type: paused, status: 'False', reason: 'NotPaused', message: '' };
}

function conflictDraft({ contested }: Tally): ConditionDraft {
  if (contested.length === 0) return { type: selectorConflict, status: 'False', reason: 'NoConflict', message: '' };
  const groups = [...new Set(contested.flatMap(({ contestedBy }) => contestedBy))].toSorted();
  const servers = namesForPeople(contested.map(({ name }) => name).toSorted());
  const message = `These servers are also selected by ${namesForPeople(groups)}, so no group writes to them: ${servers}. Change a selector or their labels.`;
  return { type: selectorConflict, status: 'True', reason: 'SelectorsIntersect', message };
}

function otherDraft(tally: Tally): ConditionDraft {
  const { others, unknown } = tally;
  const parts = [
    ...(others.length === 0
      ? []
      : [
          `of another manufacturer or model, left alone: ${namesForPeople(others)} (${namesForPeople(tally.otherModels)})`,
        ]),
    ...(unknown.length === 0 ? [] : [`not known yet what they are: ${namesForPeople(unknown)}`]),
  ];
  if (parts.length === 0) return { type: otherHardware, status: 'False', reason: 'AllFit', message: '' };
  const message = `Selected servers that are not counted: ${parts.join('; ')}.`;
  return others.length > 0
    ? { type: otherHardware, status: 'True', reason: 'OtherManufacturerOrModel', message }
    : { type: otherHardware, status: 'Unknown', reason: 'HardwareUnknown', message };
}

function retryEffects({ group, selected }: GroupSeen): GroupEffect[] {
  if (!hasRetry(group)) return [];
  const failed = selected.filter(({ isFailed }) => isFailed);
  if (failed.length === 0) return [{ kind: 'consume-retry', key: `retry/${group.metadata.name}` }];
  return failed.map(({ name }) => ({ kind: 'retry-member', key: `retry-member/${name}`, name }));
}

/** Told once, when it begins. */
function eventsOf({ group }: GroupSeen, status: ServerFirmwareGroupStatus): EventDraft[] {
  return [halted, selectorConflict].flatMap((type): EventDraft[] => {
    const now = conditionOf(status.conditions, type);
    const before = conditionOf(group.status?.conditions, type);
    if (now?.status !== 'True' || before?.status === 'True') return [];
    return [{ type: 'Warning', reason: type, message: now.message }];
  });
}
