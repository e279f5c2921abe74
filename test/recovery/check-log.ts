import { readDetail } from '../../simulator/machine/log-detail.ts';
import type { MachineHistory } from './fleet.ts';

/** What a server should have come to. */
export interface Expectation {
  /** Every slot that was to be written, with its new version. */
  readonly versions: readonly { readonly slot: string; readonly version: string }[];
  readonly power: 'On' | 'Off';
}

/** A broken promise, by the simulator's own log. */
export interface Violation {
  readonly machine: string;
  readonly rule: 'twice' | 'destroyed' | 'overlap' | 'result' | 'log';
  readonly message: string;
}

/** What the log of one server says. */
export interface Verdict {
  readonly violations: readonly Violation[];
  /** Images that the BMC took. */
  readonly taken: number;
  /** Images that were written again since the BMC had failed with them: a fault that was planned. */
  readonly neededAgain: number;
  readonly holders: number;
  /** Changes asked for by a holder after the next one had come, and refused by the BMC. */
  readonly refusedLate: number;
  readonly hostResets: number;
}

/**
 * Judges the log of one server. The rules:
 *
 * - `twice`: an image is written to a slot again only if every update before that wrote the same version there had
 *   failed, by a fault of the BMC, before the new one was taken. One that was done, or that still went on, or that
 *   somebody put an end to, is no reason.
 * - `destroyed`: what the BMC has taken ends as done, or fails by a planned fault of the BMC. An upload that is thrown
 *   away, an update that is interrupted or cancelled is destroyed by us.
 * - `overlap`: a holder is one lease of one condition, as requests name it, with its token. Once a later holder, by its
 *   token, has sent anything, nothing that an earlier one asks to change is carried out. All conditions of a run are
 *   exclusive. An earlier holder may wake late and read something; that takes nothing from the later one.
 * - `result`: in the end every slot has the version that was asked for, and the host the power it had.
 */
export function checkHistory(history: MachineHistory, expected: Expectation): Verdict {
  const updates = readUpdates(history.events);
  const overlap = findOverlaps(history);
  return {
    violations: [
      ...(history.dropped > 0 ? [violation(history, 'log', `${history.dropped} events were dropped`)] : []),
      ...findRepeats(history, updates),
      ...findDestroyed(history, updates),
      ...overlap.violations,
      ...findWrongEnds(history, expected),
    ],
    taken: updates.length,
    neededAgain: countRepeats(updates),
    holders: overlap.holders,
    refusedLate: overlap.refusedLate,
    hostResets: history.events.filter(({ event, detail }) => event === 'power.reset' && / outcome=ok$/.test(detail))
      .length,
  };
}

type Events = MachineHistory['events'];

interface Update {
  readonly id: string;
  readonly takenAt: number;
  readonly writes: { readonly slot: string; readonly version: string }[];
  /** The BMC failed while it wrote, by a planned fault. */
  hasBmcFailed: boolean;
  end?: { readonly at: number; readonly isDone: boolean; readonly reason: string };
}

function readUpdates(events: Events): readonly Update[] {
  const updates = new Map<string, Update>();
  for (const [at, { event, detail }] of events.entries()) {
    if (!event.startsWith('update.')) continue;
    const fields = readDetail(detail);
    const id = fields.update ?? '';
    if (event === 'update.accepted') updates.set(id, { id, takenAt: at, writes: [], hasBmcFailed: false });
    const update = updates.get(id);
    if (update === undefined) continue;
    if (event === 'update.flash-begin') update.writes.push({ slot: fields.slot ?? '', version: fields.version ?? '' });
    if (event === 'update.flash-end' && fields.result === 'critical') update.hasBmcFailed = true;
    if (event === 'update.done') update.end = { at, isDone: true, reason: '' };
    if (event === 'update.failed') update.end = { at, isDone: false, reason: fields.reason ?? '' };
  }
  return [...updates.values()];
}

/** Whether the BMC is at an update that it has taken: what comes of that is not in its log yet. */
export function hasOpenUpdate({ events }: Pick<MachineHistory, 'events'>): boolean {
  return readUpdates(events).some(({ end }) => end === undefined);
}

function writesSame(one: Update, other: Update): Update['writes'] {
  return one.writes.filter(({ slot, version }) =>
    other.writes.some((each) => each.slot === slot && each.version === version),
  );
}

function findRepeats(history: MachineHistory, updates: readonly Update[]): Violation[] {
  return updates.flatMap((later, at) =>
    updates.slice(0, at).flatMap((earlier) => {
      const [same] = writesSame(later, earlier);
      if (same === undefined || isReasonToRepeat(earlier, later)) return [];
      const how = earlier.end === undefined ? 'never ended' : earlier.end.isDone ? 'was done' : earlier.end.reason;
      const message = `${same.slot} ${same.version} was written by update ${later.id} again; update ${earlier.id} ${how}`;
      return [violation(history, 'twice', message)];
    }),
  );
}

function isReasonToRepeat(earlier: Update, later: Update): boolean {
  const { end, hasBmcFailed } = earlier;
  return end !== undefined && !end.isDone && hasBmcFailed && end.at < later.takenAt;
}

function countRepeats(updates: readonly Update[]): number {
  return updates.filter((later, at) =>
    updates.slice(0, at).some((earlier) => writesSame(later, earlier).length > 0 && isReasonToRepeat(earlier, later)),
  ).length;
}

function findDestroyed(history: MachineHistory, updates: readonly Update[]): Violation[] {
  return updates.flatMap(({ id, end, hasBmcFailed }) => {
    if (end?.isDone === true || (end !== undefined && hasBmcFailed)) return [];
    const how = end === undefined ? 'never came to an end' : `ended as ${end.reason}`;
    return [violation(history, 'destroyed', `update ${id}, which the BMC had taken, ${how}`)];
  });
}

interface Request {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: string;
  readonly holder: string;
  readonly token: number;
}

function readRequests(events: Events): readonly Request[] {
  return events.flatMap(({ event, detail }, at) => {
    const [, method = '', path = '', status = '', holder = '', token = ''] =
      /^(\S+) (\S+) (\S+)(?: cut)? by=(\S+@(\d+))$/.exec(event === 'request' ? detail : '') ?? [];
    return holder === '' ? [] : [{ at, method, path, status, holder, token: Number(token) }];
  });
}

function isChange({ method, path }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD' && !path.includes('/SessionService/');
}

function findOverlaps(history: MachineHistory): {
  readonly violations: Violation[];
  readonly holders: number;
  readonly refusedLate: number;
} {
  const requests = readRequests(history.events);
  const violations: Violation[] = [];
  let refusedLate = 0;
  let [latest] = requests;
  for (const request of requests) {
    if (latest === undefined || request.token >= latest.token) latest = request;
    else if (!isChange(request)) continue;
    else if (!request.status.startsWith('2')) refusedLate += 1;
    else {
      const { method, path, holder, at } = request;
      const message = `${holder} did ${method} ${path} (event ${at}) after ${latest.holder} had come`;
      violations.push(violation(history, 'overlap', message));
    }
  }
  return { violations, holders: new Set(requests.map(({ holder }) => holder)).size, refusedLate };
}

function findWrongEnds(history: MachineHistory, expected: Expectation): Violation[] {
  const versionOf = new Map(history.firmware.map(({ slot, version }) => [slot, version]));
  const wrong = expected.versions.filter(({ slot, version }) => versionOf.get(slot) !== version);
  const messages = wrong.map(({ slot, version }) => `${slot} has ${versionOf.get(slot)} instead of ${version}`);
  if (history.power !== expected.power) messages.push(`the host is ${history.power} instead of ${expected.power}`);
  return messages.map((message) => violation(history, 'result', message));
}

function violation({ name }: MachineHistory, rule: Violation['rule'], message: string): Violation {
  return { machine: name, rule, message };
}
