import type { FaultRule, MachineTimings } from '../../simulator/index.ts';

/** A restart that takes no time cannot be seen, and who looks for it looks for a minute. */
const leastRestartMs = 1000;

/**
 * What an update takes of the BMC's time: it checks the image, writes it, restarts. Together they are the flash time; where
 * there is none, only the restart takes a moment.
 */
export function timingsOf(
  flashMs: number,
): Pick<MachineTimings, 'downloadMs' | 'verifyMs' | 'flashMs' | 'managerResetMs'> {
  const verifyMs = Math.round(flashMs * 0.05);
  const managerResetMs = flashMs === 0 ? leastRestartMs : Math.round(flashMs * 0.1);
  const writing = Math.max(0, flashMs - verifyMs - managerResetMs);
  return { downloadMs: 0, verifyMs, flashMs: { bmc: writing, bios: writing, other: writing }, managerResetMs };
}

/** A way for a BMC to misbehave, and how much longer its update then takes at least, whoever asks for it. */
interface Misbehaviour {
  readonly name: string;
  rule(flashMs: number): FaultRule;
  extraMs(flashMs: number): number;
  /** How often the image has to be written. */
  readonly flashes: number;
}

/** An attempt that fails takes all but the restart. */
const failedAttemptMs = (flashMs: number): number => flashMs - timingsOf(flashMs).managerResetMs;

const busyTimes = 3;
const busyMs = 1000;

/** What faulty BMCs do, in turn. */
export const misbehaviours: readonly Misbehaviour[] = [
  {
    name: 'is busy (503) three times, and says for how long',
    rule: () => ({ kind: 'busy', times: busyTimes, durationMs: busyMs }),
    extraMs: () => busyTimes * busyMs,
    flashes: 1,
  },
  {
    name: 'fails at the end of the flash, once',
    rule: () => ({ kind: 'task-completed-critical', times: 1 }),
    extraMs: failedAttemptMs,
    flashes: 2,
  },
  {
    name: 'does not answer for a quarter of the flash time after it',
    rule: (flashMs) => ({ kind: 'unreachable-after-flash', times: 1, durationMs: Math.round(flashMs / 4) }),
    extraMs: (flashMs) => Math.round(flashMs / 4),
    flashes: 1,
  },
  { name: 'loses the task', rule: () => ({ kind: 'task-vanishes', times: 1 }), extraMs: () => 0, flashes: 1 },
  {
    name: 'hangs in the flash, which then fails, once',
    rule: (flashMs) => ({ kind: 'flash-hangs', times: 1, durationMs: timingsOf(flashMs).flashMs.bmc }),
    extraMs: failedAttemptMs,
    flashes: 2,
  },
  {
    name: 'cuts connections after it did what was asked (log-in and upload)',
    rule: () => ({ kind: 'connection-reset', method: 'POST', times: 2, moment: 'after-acting' }),
    extraMs: () => 0,
    flashes: 1,
  },
];

/** A server that misbehaves. */
export interface FaultyServer {
  readonly server: number;
  readonly what: Misbehaviour;
}

/** The faulty ones of a fleet: evenly spread, the ways to misbehave in turn. */
export function chooseFaulty(servers: number, share: number): readonly FaultyServer[] {
  const count = Math.round(servers * share);
  return Array.from({ length: count }, (_, at) => ({
    server: Math.floor(((at + 0.5) * servers) / count),
    what: misbehaviours[at % misbehaviours.length] as Misbehaviour,
  }));
}

/** How long each server's update takes at least, in the order in which they are asked for. */
export function deviceTimes(
  servers: number,
  { flashMs, faulty }: { readonly flashMs: number; readonly faulty: readonly FaultyServer[] },
): readonly number[] {
  const times = Array.from({ length: servers }, () => flashMs);
  for (const { server, what } of faulty) times[server] = flashMs + what.extraMs(flashMs);
  return times;
}

/**
 * The least time in which so many at once can be done in the order in which they were asked for: whoever is through makes
 * room for the next, and nothing but the BMCs' own time counts. Without faulty ones it is ceil(N/P) x T.
 */
export function idealMs(deviceMs: readonly number[], parallel: number): number {
  const free = Array.from({ length: Math.min(parallel, Math.max(1, deviceMs.length)) }, () => 0);
  for (const ms of deviceMs) {
    let first = 0;
    for (let slot = 1; slot < free.length; slot += 1) if ((free[slot] ?? 0) < (free[first] ?? 0)) first = slot;
    free[first] = (free[first] ?? 0) + ms;
  }
  return Math.max(...free);
}

/** How many images were written beyond those that were needed. */
export function needlessFlashes(flashes: readonly number[], faulty: readonly FaultyServer[]): number {
  const needed = new Map(faulty.map(({ server, what }) => [server, what.flashes]));
  return flashes.reduce((sum, count, server) => sum + Math.max(0, count - (needed.get(server) ?? 1)), 0);
}
