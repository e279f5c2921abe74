import { type Clock, sleep } from '../../kube/index.ts';
import { type Logger, silentLogger } from '../../telemetry/index.ts';
import { type Condition, isFinal } from '../condition.ts';
import type { Engine } from '../engine.ts';
import { isEngineError } from '../errors.ts';
import type { Alias, MachineRecord } from '../machine.ts';
import { machineIdOf, targetOf } from '../machines/machine-row.ts';
import type { Lease } from '../worker/worker-port.ts';
import { externalWork } from './external-work-kind.ts';
import { type WaitingLocks, watchWaitingLocks } from './waiting-locks.ts';

/** Work on a machine that somebody outside does, for one owner. */
export interface ExternalOrder {
  /** Names under which the engine may know the machine. */
  readonly aliases: readonly Alias[];
  /** Who has it done; one at a time for each machine: `BareMetalHost metal3/host-7`. */
  readonly owner: string;
  /** What is done, for people. */
  readonly what: string;
}

/**
 * Whether work outside may begin or go on. `free`: the engine does not know the machine, so nobody here works on it; should
 * it become known meanwhile, nothing is begun on it. `waits`: others work on it first; nothing may be done to it.
 */
export type ExternalHold =
  | { readonly kind: 'held' }
  | { readonly kind: 'free' }
  | { readonly kind: 'waits'; readonly reason: string };

/** Locks machines for work outside the engine. */
export interface ExternalWorkDesk {
  /**
   * Takes the lock, or keeps it: to be asked before each request to whoever does the work, since each answer is the
   * progress by which the lock is kept. The lock stays when its holder dies: the work outside goes on, too.
   */
  hold(order: ExternalOrder): Promise<ExternalHold>;
  /** Gives the lock back, if there is one. Done twice it does no harm. */
  release(order: Pick<ExternalOrder, 'aliases' | 'owner'>): Promise<void>;
  /** Gives back all that an owner holds, whatever its machines are called: for owners that are gone. */
  releaseOwner(owner: string): Promise<void>;
  /** Everybody who holds something or waits for it. */
  owners(): Promise<readonly string[]>;
  /** Gives no locks any more; those that are held stay. */
  close(): Promise<void>;
}

/** How work outside is watched. */
export interface ExternalWorkOptions {
  readonly engine: Pick<Engine, 'cancel' | 'claims' | 'create' | 'get' | 'list' | 'machines' | 'worker'>;
  /** One for all lives of the one watcher there is at a time, so that a new life takes over at once. */
  readonly watcher: string;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** Who is silent for a minute is taken for lost. */
const beatMs = 20_000;

/** Opens the desk. There may be one of a name at a time: who is not the leader does not open one. */
export function openExternalWork(options: ExternalWorkOptions): ExternalWorkDesk {
  const { engine, watcher } = options;
  const facilities = new Map<string, Promise<string>>();
  const leases = new Map<string, Lease>();
  /** The machines that a lock was asked for, by owner: it stays when the inventory calls them something else. */
  const asked = new Map<string, Set<string>>();
  const closing = new AbortController();
  const waiting = watchWaitingLocks(options);
  const beating = beat(options, { facilities, waiting, signal: closing.signal });

  /** The worker of a facility: coming online again would give up what it holds, so each facility has its own. */
  const workerOf = (facility: string): Promise<string> => {
    const known = facilities.get(facility);
    if (known !== undefined) return known;
    const id = `${watcher}/${facility}`;
    const online = engine.worker.online({ id, kinds: [externalWork.kind], facilities: [facility] }).then(() => id);
    facilities.set(facility, online);
    online.catch(() => facilities.delete(facility));
    return online;
  };

  const find = (aliases: readonly Alias[]): Promise<MachineRecord | undefined> => engine.machines.findByNames(aliases);

  /** Notes work on a machine that is not known; gives the machine if it has become known just now. */
  const markOrFind = async ({ aliases, owner, what }: ExternalOrder): Promise<MachineRecord | ExternalHold> => {
    const marked = await engine.claims.markWork({ owner, names: aliases, what });
    if (marked === 'marked') return { kind: 'free' };
    return (await find(aliases)) ?? { kind: 'waits', reason: 'the machine is known by a name that it had before' };
  };

  const keep = async (lease: Lease, what: string): Promise<boolean> => {
    const held = { conditionId: lease.condition.id, token: lease.token };
    const { outcome } = await engine.worker.report(held, { status: { message: what } });
    return outcome === 'kept';
  };

  const take = async (machine: MachineRecord, condition: Condition): Promise<Lease | undefined> => {
    const target = targetOf(machine.id);
    const worker = await workerOf(machine.facility);
    const found = await engine.worker.lease(worker, { max: 1, waitMs: 0, target });
    return found.find((lease) => lease.condition.id === condition.id);
  };

  const end = async (machine: MachineRecord, open: Condition): Promise<void> => {
    const known = leases.get(machine.id);
    leases.delete(machine.id);
    const isOver = async (lease: Lease): Promise<boolean> => {
      const held = { conditionId: lease.condition.id, token: lease.token };
      return (await engine.worker.report(held, { state: 'succeeded' })).outcome === 'kept';
    };
    if (known?.condition.id === open.id && (await isOver(known))) return;
    const lease = await take(machine, open);
    if (lease !== undefined && (await isOver(lease))) return;
    // It still waited for others: nobody needs it any more.
    await engine.cancel(open.id, { client: watcher, isForced: false, doesInsist: false });
  };

  const releaseOwner = async (owner: string): Promise<void> => {
    await engine.claims.clearWork(owner);
    for (const open of await findOpen(engine, { owner })) {
      const machine = await engine.machines.get(machineIdOf(open.target) ?? '');
      if (machine !== undefined) await end(machine, open);
      else await engine.cancel(open.id, { client: watcher, isForced: false, doesInsist: false });
    }
    for (const [id, { condition }] of leases) if (condition.parameters.owner === owner) leases.delete(id);
    asked.delete(owner);
  };

  const hold = async ({ aliases, owner, what }: ExternalOrder): Promise<ExternalHold> => {
    if (closing.signal.aborted) return { kind: 'waits', reason: 'work outside is not watched here any more' };
    const machine = (await find(aliases)) ?? (await markOrFind({ aliases, owner, what }));
    if ('kind' in machine) return machine;
    asked.set(owner, (asked.get(owner) ?? new Set()).add(machine.id));
    const known = leases.get(machine.id);
    if (known?.condition.parameters.owner === owner && (await keep(known, what))) return { kind: 'held' };
    if (known?.condition.parameters.owner === owner) leases.delete(machine.id);
    const target = targetOf(machine.id);
    const orders = [{ kind: externalWork.kind, parameters: { owner } }];
    const created = await engine.create({ target, orders, client: watcher });
    if (created.outcome === 'conflict')
      return { kind: 'waits', reason: `${String(created.current.parameters.owner)} has work done on the machine` };
    const [condition] = created.conditions;
    if (condition === undefined) return { kind: 'waits', reason: 'the lock was not made' };
    const lease = await take(machine, condition);
    if (lease === undefined) return { kind: 'waits', reason: await reasonOf(engine, condition) };
    leases.set(machine.id, lease);
    // Noted while the engine did not know the machine: now it has its lock.
    await engine.claims.clearWork(owner);
    return (await keep(lease, what)) ? { kind: 'held' } : { kind: 'waits', reason: 'the lock was lost at once' };
  };

  return {
    hold: (order) => waiting.asking(order.owner, () => hold(order)),

    async release({ aliases, owner }) {
      const machine = await find(aliases);
      const isAllThere = [...(asked.get(owner) ?? [])].every((id) => id === machine?.id);
      const [open] = machine === undefined ? [] : await findOpen(engine, { target: targetOf(machine.id), owner });
      // The names may be those of another machine than when it was locked, or of none.
      if (machine === undefined || open === undefined || !isAllThere) return releaseOwner(owner);
      await engine.claims.clearWork(owner);
      await end(machine, open);
      asked.delete(owner);
    },

    releaseOwner,

    async owners() {
      const open = await findOpen(engine, {});
      const noted = await engine.claims.owners({ isAtWork: true });
      return [...new Set([...open.map(({ parameters }) => String(parameters.owner)), ...noted])];
    },

    async close() {
      closing.abort();
      await beating;
      leases.clear();
      // The work outside goes on, and so do the locks: the next life takes them over.
      const workers = await Promise.allSettled(facilities.values());
      for (const worker of workers) {
        if (worker.status === 'fulfilled') await engine.worker.offline(worker.value, { areLeasesKept: true });
      }
    },
  };
}

/** Shows that the watcher is there, in every facility that it watches work in. */
async function beat(
  { engine, clock, logger = silentLogger }: ExternalWorkOptions,
  watched: {
    readonly facilities: Map<string, Promise<string>>;
    readonly waiting: WaitingLocks;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { facilities, waiting, signal } = watched;
  for (;;) {
    await sleep(clock, beatMs, signal);
    if (signal.aborted) return;
    for (const [facility, online] of facilities) {
      try {
        await engine.worker.heartbeat(await online);
      } catch (error) {
        // It was forgotten: with the next lock it comes online again.
        if (isEngineError(error, 'unknownWorker')) facilities.delete(facility);
        logger.warn('a sign of life of who watches work outside was not taken', { facility, error });
      }
    }
    await waiting.leaveUnasked().catch((error: unknown) => {
      logger.warn('locks that nobody asks for any more could not be taken out of the line', { error });
    });
  }
}

/** Why the lock is not there yet. */
async function reasonOf(engine: ExternalWorkOptions['engine'], condition: Condition): Promise<string> {
  const { conditions } = await engine.list({ target: condition.target, states: ['active'] });
  const [other] = conditions.filter(({ id }) => id !== condition.id);
  if (other !== undefined) return `${other.kind} ${other.id} is at work on the machine`;
  return (await engine.get(condition.id))?.reason?.message ?? 'other work on the machine comes first';
}

async function findOpen(
  engine: ExternalWorkOptions['engine'],
  { target, owner }: { readonly target?: string; readonly owner?: string },
): Promise<readonly Condition[]> {
  const found: Condition[] = [];
  let after: string | undefined;
  do {
    const query = { kind: externalWork.kind, ...(target === undefined ? {} : { target }) };
    const page = await engine.list({ ...query, ...(after === undefined ? {} : { after }) });
    found.push(...page.conditions.filter(({ state }) => !isFinal(state)));
    after = page.next;
  } while (after !== undefined);
  return owner === undefined ? found : found.filter(({ parameters }) => parameters.owner === owner);
}
