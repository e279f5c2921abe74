import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  type ComponentType,
  createSteppedClock,
  type DataCentre,
  type DataCentreOptions,
  type FaultKind,
  type FaultRule,
  type LoggedEvent,
  type Machine,
  type PersonalityName,
  type RunningBmc,
  type SteppedClock,
  startDataCentre,
} from '../../simulator/index.ts';
import { readDetail } from '../../simulator/machine/log-detail.ts';
import {
  type Bmc,
  connectBmc,
  createGates,
  type GateSettings,
  type Gates,
  type TlsTrust,
} from '../../src/bmc/index.ts';
import type { Clock, Random } from '../../src/kube/index.ts';
import { seededRandom } from '../chaos/seeded-random.ts';
import { type CountedClock, countTimers } from './counted-clock.ts';
import { openShelf, type Release } from './release.ts';

/** One BMC with faults, and a client that works on it in simulated time. */
export interface Visit {
  readonly bmc: Bmc;
  readonly gates: Gates;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly personality: PersonalityName;
  readonly running: RunningBmc;
  /** Another caller of the same BMC in the same process. */
  connect(more?: { readonly password?: string; readonly trust?: TlsTrust }): Bmc;
  /** Makes an image for an order; each order may be written once at most. */
  release(component: ComponentType): Promise<Release>;
  /** What happened to the machine since this visit began. */
  events(name?: string): readonly LoggedEvent[];
}

/** What a fault may leave behind after all. */
export interface Remains {
  /** The fault itself locked the account. */
  readonly isLocked?: boolean;
}

/** How a room is set up. */
export interface RoomOptions
  extends Pick<DataCentreOptions, 'seed' | 'servers' | 'personalities' | 'isPlain' | 'doesLogReads'> {
  readonly faults?: readonly FaultRule[];
  readonly settings?: Partial<GateSettings>;
  readonly password?: string;
  readonly trustOf?: (running: RunningBmc, room: DataCentre) => Promise<TlsTrust>;
  readonly remains?: Remains;
}

/** BMCs with faults, all in one simulated time. */
export interface FaultRoom {
  readonly dataCentre: DataCentre;
  readonly clock: SteppedClock;
  /** Works on every BMC at the same time, closes all gates, looks what is left, and returns what came of it by name. */
  each<T>(work: (visit: Visit) => Promise<T>, options?: Partial<RoomOptions>): Promise<ReadonlyMap<string, T>>;
}

/**
 * Idle log-outs happen beside the one strand that a stepped clock knows of, so they are kept out of the way; gates log
 * out when they are closed.
 */
const settings: Partial<GateSettings> = { idleLogOutMs: 7 * 24 * 3_600_000 };

/** Opens a room that ends with its test. */
export async function openRoom(t: TestContext, options: RoomOptions): Promise<FaultRoom> {
  const clock = createSteppedClock();
  const { seed, servers, faults = [] } = options;
  const personalities = options.personalities === undefined ? {} : { personalities: options.personalities };
  const isPlain = options.isPlain ?? true;
  const doesLogReads = options.doesLogReads ?? false;
  const plan = { seed, servers, faults, clock, isPlain, doesLogReads, arePoweredOn: true, ...personalities };
  const dataCentre = await startDataCentre(plan);
  const shelf = await openShelf();
  t.after(async () => {
    await dataCentre.close();
    clock.close();
    await shelf.close();
  });
  const enter = async <T>(running: RunningBmc, party: Clock, order: Order<T>): Promise<T> => {
    const { work, now } = order;
    const timers = countTimers(party);
    const random = randomOf(seed, running.name);
    const gates = createGates({ clock: timers, random, settings: { ...settings, ...now.settings } });
    const trust = await now.trustOf?.(running, dataCentre);
    const eventsBefore = running.machine.log.events.length;
    const orders = { count: 0 };
    const connect: Visit['connect'] = (more = {}) => {
      const { url, username } = running;
      const password = more.password ?? now.password ?? running.password;
      const credentials = async () => ({ username, password });
      const endpoint = {
        origin: url,
        credentials,
        trust: more.trust ?? trust ?? ({ kind: 'system', allowsHttp: true } as const),
      };
      return connectBmc({ gates, endpoint, clock: timers, random });
    };
    const visit: Visit = {
      bmc: connect(),
      gates,
      clock: timers,
      machine: running.machine,
      personality: running.machine.personality.name,
      running,
      connect,
      async release(component) {
        orders.count += 1;
        return shelf.make(running.machine, component);
      },
      events: (name) =>
        running.machine.log.events.slice(eventsBefore).filter(({ event }) => name === undefined || event === name),
    };
    try {
      return await work(visit);
    } finally {
      await gates.close();
      assertNothingLeft(visit, { timers, orders: orders.count, remains: now.remains ?? {} });
    }
  };
  return {
    dataCentre,
    clock,
    async each(work, more = {}) {
      const now = { ...options, ...more };
      const runs = dataCentre.bmcs.map(async (running) => {
        const result = await clock.run(running.name, (party) => enter(running, party, { work, now }));
        return [running.name, result] as const;
      });
      return new Map(await Promise.all(runs));
    },
  };
}

interface Order<T> {
  readonly work: (visit: Visit) => Promise<T>;
  readonly now: RoomOptions;
}

/** Jitter of a client's own: the same in every run, and not the same for every BMC. */
function randomOf(seed: number, name: string): Random {
  const numbers = seededRandom([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), seed));
  return () => numbers.below(1_000_000) / 1_000_000;
}

/** What holds after every fault. */
function assertNothingLeft(
  { machine, gates, events }: Visit,
  about: { readonly timers: CountedClock; readonly orders: number; readonly remains: Remains },
): void {
  const { timers, orders, remains } = about;
  const { isLocked = false } = remains;
  const who = `${machine.name} (${machine.personality.name})`;
  assertLoggedOut({ machine, events }, who);
  if (!isLocked) {
    assert.equal(machine.accounts.isLocked, false, `the account of ${who} is locked`);
    assert.deepEqual(events('account.locked'), [], `the account of ${who} was locked`);
  }
  for (const { waiting } of gates.states) assert.equal(waiting, 0, `a request waits at the gate of ${who}`);
  assert.equal(timers.pending, 0, `the client of ${who} left timers behind`);
  for (const [slot, times] of flashes(events('update.flash-begin'))) {
    assert.ok(times <= orders, `${slot} of ${who} was written ${times} times for ${orders} orders`);
  }
}

/** A gate that closes tries as often as this to end a session. */
const logOutTries = 4;

/** A BMC that is away cannot be logged out of: it forgets its sessions when it restarts, or they time out. */
function assertLoggedOut({ machine, events }: Pick<Visit, 'machine' | 'events'>, who: string): void {
  if (!machine.manager.isReachable) return;
  const lines = events('request').map(({ detail }) => detail);
  // Whoever never got the answer to a log-in cannot end its session: that one times out.
  const lost = lines.filter((line) => /^POST \S*\/Sessions 201 cut$/.test(line)).length;
  const endings = (id: string) =>
    lines.filter((line) => line.startsWith('DELETE ') && line.split(' ')[1]?.endsWith(`/${id}`));
  // A BMC that takes longer to log out than closing may take, or is busy each time, keeps the session until it times out.
  const isSlow = (id: string) =>
    events('fault').some(({ detail }) => {
      const { kind, method, path } = readDetail(detail);
      return kind === 'slow-answer' && method === 'DELETE' && path?.endsWith(`/${id}`) === true;
    });
  const isBarred = (id: string) => endings(id).length >= logOutTries || isSlow(id);
  const left = machine.sessions.all.filter(({ id }) => !isBarred(id)).length;
  assert.ok(left <= lost, `${who} still has ${left} sessions, and ${lost} log-ins were cut:\n${machine.log.text()}`);
}

/** How often each slot began to be written. */
export function flashes(begun: readonly LoggedEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { detail } of begun) {
    const { slot = '' } = readDetail(detail);
    counts.set(slot, (counts.get(slot) ?? 0) + 1);
  }
  return counts;
}

/** How often a fault of this kind struck in a visit. */
export function strikes(visit: Visit, kind: FaultKind): number {
  return visit.events('fault').filter(({ detail }) => readDetail(detail).kind === kind).length;
}

/** Requests in a visit that changed something, as `POST /path 200`; reads are not logged. */
export function changes(visit: Visit, path: RegExp): readonly string[] {
  return visit
    .events('request')
    .map(({ detail }) => detail)
    .filter((line) => path.test(line));
}
