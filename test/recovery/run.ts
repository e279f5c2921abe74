import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type SeededRandom, seededRandom } from '../chaos/seeded-random.ts';
import { checkHistory } from './check-log.ts';
import { type CrewOptions, hire, type Member } from './crew.ts';
import { createPipeDesk, type EngineDesk } from './engine-desk.ts';
import type { Tempo } from './fast-time.ts';
import { type Figures, Tally } from './figures.ts';
import type { MachineHistory } from './fleet.ts';
import { type Line, startLineProcess } from './line-process.ts';
import type { Blow } from './moments.ts';
import { type Install, planInstalls } from './plan.ts';
import { startRecoverySimulator } from './simulators.ts';
import type { SeenCondition, WorkOrder } from './work-order.ts';

/** How a run is set up. */
export interface RunOptions {
  readonly seed: number;
  readonly installs: number;
  /**
   * `embedded`: processes with everything in them, each with a SQLite file of its own. `worker-api`: one process with the
   * SQLite file, and workers that reach it over HTTP. `shared`: workers on PostgreSQL and NATS.
   */
  readonly shape: 'embedded' | 'worker-api' | 'shared';
  /** Processes that work. */
  readonly processes: number;
  readonly concurrency: number;
  readonly speed?: number;
  readonly blows?: readonly Blow[];
  /** Every so often, in real time, a process is hit from outside at no moment in particular; never unless given. */
  readonly strayEveryMs?: number;
  readonly databaseUrl?: string;
  readonly natsUrl?: string;
  readonly isBusUnreliable?: boolean;
  readonly isUnfenced?: boolean;
  /**
   * Every worker is stopped when it is about to send an image, and woken by its successor's first answer from the BMC
   * instead of by time. Needs more processes than installs: somebody must be left to take over.
   */
  readonly isHeldUntilTakenOver?: boolean;
  /** Begun when half of the work is asked for, and waited for. */
  readonly meanwhile?: () => Promise<void>;
  /** Told now and then how many conditions are over. */
  readonly onProgress?: (over: number, all: number) => void;
  /** A folder that is kept, with the simulator's logs and those of all processes; one that goes away unless given. */
  readonly keptIn?: string;
  /** The run is given up after so long: something hangs. */
  readonly longestMs?: number;
}

const workProcess = new URL('./work-process.ts', import.meta.url);
const defaultSpeed = 30;
const mostRivals = 2;
const leastRivalMs = 10_000;
const allBlows: readonly Blow[] = ['kill', 'kill', 'kill', 'freeze', 'suspend', 'suspend'];

/** Runs installs while their workers are hit, and judges what came of it from the simulator's log. */
export async function runRecovery(options: RunOptions): Promise<Figures> {
  const { keptIn } = options;
  const folder = keptIn ?? mkdtempSync(join(tmpdir(), 'recovery-'));
  const run = new Run(options, folder);
  const closeWithUs = (): void => void run.close();
  process.once('exit', closeWithUs);
  try {
    return await Promise.race([run.run(), run.crashed]);
  } finally {
    await run.close();
    process.removeListener('exit', closeWithUs);
    if (keptIn === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #folder: string;
  readonly #random: SeededRandom;
  readonly #tally = new Tally();
  readonly #tempo: Tempo;
  readonly #members: Member[] = [];
  /** Those that are hit. */
  readonly #workers: Member[] = [];
  /** Those that are hit from outside only. */
  readonly #bosses: Member[] = [];
  readonly #desks: { readonly desk: EngineDesk; readonly installs: readonly Install[] }[] = [];
  #closeSimulator: () => Promise<void> = async () => undefined;
  readonly #rivals: Promise<void>[] = [];
  /** By target, who was stopped while it worked there. */
  readonly #heldOn = new Map<string, Member>();
  readonly #crash = Promise.withResolvers<never>();
  #isOver = false;

  constructor(options: RunOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#random = seededRandom(options.seed);
    this.#tempo = { speed: options.speed ?? defaultSpeed, epochMs: Date.now() };
  }

  /** Rejects when a process ends by itself: the run is worth nothing then. */
  get crashed(): Promise<never> {
    return this.#crash.promise;
  }

  async run(): Promise<Figures> {
    const { seed, installs: many, blows = allBlows, isHeldUntilTakenOver = false } = this.#options;
    const world = await this.#startSimulator();
    const { speed } = this.#tempo;
    const installs = planInstalls(world.servers, { random: this.#random, speed, blows, isHeldUntilTakenOver });
    await world.ask({
      ask: 'prepare',
      off: installs.filter(({ isOff }) => isOff).map(({ server }) => server.name),
      faults: installs.flatMap(({ faults }) => faults),
    });
    const moments = Object.fromEntries(installs.map(({ target, moments }) => [target, moments]));
    writeFileSync(join(this.#folder, 'moments.json'), JSON.stringify(moments));
    const began = performance.now();
    await this.#hireAll(installs);
    await this.#order((_, index) => index % 2 === 0);
    const strays = this.#throwStrays();
    const meanwhile = this.#options.meanwhile?.();
    await this.#order((_, index) => index % 2 === 1);
    await meanwhile;
    const conditions = await this.#untilOver();
    const seconds = Math.round((performance.now() - began) / 1000);
    this.#isOver = true;
    await Promise.all([strays, ...this.#rivals]);
    await this.#wakeAll();
    const path = join(this.#folder, 'histories.json');
    await world.ask({ ask: 'histories', path });
    const histories = JSON.parse(readFileSync(path, 'utf8')) as MachineHistory[];
    const verdicts = histories.map((history) => {
      const install = installs.find(({ server }) => server.name === history.name);
      return checkHistory(history, install?.expected ?? { versions: [], power: 'On' });
    });
    return this.#tally.close({ seed, installs: many, seconds, conditions, verdicts });
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#members.map((member) => member.end()), this.#closeSimulator()]);
  }

  async #order(isMeant: (install: Install, index: number) => boolean): Promise<void> {
    await Promise.all(
      this.#desks.map(async ({ desk, installs }) => {
        for (const { target, orders } of installs.filter(isMeant)) await desk.create(target, orders);
      }),
    );
  }

  async #startSimulator() {
    const { seed, installs } = this.#options;
    const simulator = await startRecoverySimulator({ seed, servers: installs, speed: this.#tempo.speed });
    this.#closeSimulator = () => simulator.close();
    return simulator;
  }

  async #hireAll(installs: readonly Install[]): Promise<void> {
    const { shape, processes } = this.#options;
    if (shape === 'embedded') {
      for (let at = 0; at < processes; at += 1) {
        const share = installs.filter((_, index) => index % processes === at);
        this.#workers.push(this.#hireWithDesk('embedded', { name: `e${at + 1}`, installs: share }));
      }
    } else {
      const boss = this.#hireWithDesk('orchestrator', { name: 'orc', installs });
      const { workerApiUrl } = await boss.ready;
      // There may be several on a shared store, and none of them is needed for long.
      if (shape === 'shared') {
        const fleet = this.#fleetOf(installs, 'orc');
        this.#bosses.push(boss, this.#hire({ role: 'orchestrator', name: 'orc-b', fleet }));
      }
      const role = shape === 'shared' ? 'worker' : 'remote-worker';
      const api = shape === 'shared' ? {} : { workerApiUrl: String(workerApiUrl) };
      for (let at = 0; at < processes; at += 1) {
        this.#workers.push(this.#hire({ role, name: `w${at + 1}`, fleet: this.#fleetOf(installs, 'all'), ...api }));
      }
    }
    await Promise.all(this.#members.map(({ ready }) => ready));
  }

  #fleetOf(installs: readonly Install[], name: string): string {
    const path = join(this.#folder, `fleet-${name}.json`);
    writeFileSync(path, JSON.stringify(installs.map(({ server }) => server)));
    return path;
  }

  #hireWithDesk(
    role: 'embedded' | 'orchestrator',
    { name, installs }: { readonly name: string; readonly installs: readonly Install[] },
  ): Member {
    const desk = createPipeDesk((request) => member.send(request));
    const member = this.#hire({ role, name, fleet: this.#fleetOf(installs, name) }, (line) => desk.hear(line));
    this.#desks.push({ desk, installs });
    return member;
  }

  #hire(
    about: {
      readonly role: WorkOrder['role'];
      readonly name: string;
      readonly fleet: string;
      readonly workerApiUrl?: string;
    },
    hear: (line: Line) => void = () => undefined,
  ): Member {
    const { role, name, fleet, workerApiUrl } = about;
    const { concurrency, databaseUrl, natsUrl, isBusUnreliable, isUnfenced, keptIn } = this.#options;
    const isOwnStore = role === 'embedded' || databaseUrl === undefined;
    const dataDir = join(this.#folder, isOwnStore && role !== 'remote-worker' ? `data-${name}` : 'data');
    mkdirSync(dataDir, { recursive: true });
    const orderOf = (life: number): WorkOrder => ({
      name: `${name}-${life}`,
      role,
      tempo: this.#tempo,
      seed: this.#random.below(2 ** 31),
      fleetPath: fleet,
      momentsPath: join(this.#folder, 'moments.json'),
      passedPath: join(this.#folder, 'passed'),
      dataDir,
      concurrency,
      ...(workerApiUrl === undefined ? {} : { workerApiUrl }),
      ...(keptIn === undefined ? {} : { logPath: join(keptIn, `${name}.log`) }),
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(natsUrl === undefined ? {} : { natsUrl }),
      ...(isBusUnreliable === undefined ? {} : { isBusUnreliable }),
      ...(isUnfenced === undefined ? {} : { isUnfenced }),
    });
    const crew: CrewOptions = {
      random: this.#random,
      onLine: (line, life) => {
        hear(line);
        if (keptIn !== undefined)
          appendFileSync(join(keptIn, 'lines'), `${Date.now()} ${life} ${JSON.stringify(line)}\n`);
        this.#tally.hear(line);
        if (this.#options.isHeldUntilTakenOver === true) this.#wakeOnTakeOver(line, member);
        if (line.say === 'crashed') this.#crash.reject(new Error(`${life} ended with ${line.code}: ${line.tail}`));
        const isStopped = line.say === 'hit' && line.blow !== 'kill';
        if (role === 'embedded' && isStopped) this.#tryRival(orderOf(0), Number(line.forMs));
      },
    };
    const member = hire(orderOf, crew);
    this.#members.push(member);
    return member;
  }

  /** Whoever was stopped before it sent something goes on when its successor is known to the BMC. */
  #wakeOnTakeOver({ say, target }: Line, member: Member): void {
    const before = this.#heldOn.get(String(target));
    if (say === 'hit') this.#heldOn.set(String(target), member);
    else if (say === 'answered' && before !== undefined && before !== member) before.wake();
  }

  /** While a process that has a store is stopped, nobody else may have it; this is tried a few times in a run. */
  #tryRival(order: WorkOrder, forMs: number): void {
    if (this.#rivals.length >= mostRivals || forMs < leastRivalMs || this.#isOver) return;
    const rival = startLineProcess(workProcess, order, ({ say }) => {
      if (say === 'ready') this.#crash.reject(new Error(`${order.name} opened a store that another process has`));
    });
    // One that takes so long to start that the other may be awake again proves nothing.
    const tooLate = setTimeout(() => rival.signal('SIGKILL'), forMs / 2);
    this.#rivals.push(
      rival.ended.then(({ signal }) => {
        clearTimeout(tooLate);
        const isRefused = signal === 'SIGKILL' || /another process|in use/.test(rival.tail());
        if (!isRefused) this.#crash.reject(new Error(`${order.name} was not refused: ${rival.tail()}`));
      }),
    );
  }

  async #throwStrays(): Promise<void> {
    const { strayEveryMs } = this.#options;
    if (strayEveryMs === undefined) return;
    while (!this.#isOver) {
      await delay(strayEveryMs / 2 + this.#random.below(strayEveryMs));
      const member = this.#strayTarget();
      if (this.#isOver || member === undefined || member.isStopped) continue;
      this.#tally.stray();
      member.strike(this.#random.below(2) === 0 ? undefined : 500 + this.#random.below(8000));
    }
  }

  /** Whoever has work, or one of those without which nothing is given to others. */
  #strayTarget(): Member | undefined {
    const open = [...this.#workers.filter(({ busy }) => busy > 0), ...this.#bosses];
    return open[this.#random.below(Math.max(1, open.length))];
  }

  async #untilOver(): Promise<readonly SeenCondition[]> {
    const { longestMs = 1_200_000, onProgress } = this.#options;
    const end = performance.now() + longestMs;
    for (;;) {
      const conditions = (await Promise.all(this.#desks.map(({ desk }) => desk.list()))).flat();
      const open = conditions.filter(({ state }) => state === 'pending' || state === 'active');
      onProgress?.(conditions.length - open.length, conditions.length);
      if (open.length === 0 || performance.now() > end) return conditions;
      await delay(1000);
    }
  }

  /** Whoever is stopped still has to wake up and find out that it lost everything. */
  async #wakeAll(): Promise<void> {
    for (const member of this.#members) member.wake();
    const end = performance.now() + 120_000;
    while (this.#workers.some(({ busy }) => busy > 0) && performance.now() < end) await delay(50);
  }
}
