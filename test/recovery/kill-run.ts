import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PersonalityName } from '../../simulator/index.ts';
import { type SeededRandom, seededRandom } from '../chaos/seeded-random.ts';
import { checkHistory } from './check-log.ts';
import { hire, type Member } from './crew.ts';
import { createPipeDesk, type EngineDesk } from './engine-desk.ts';
import type { MachineHistory } from './fleet.ts';
import { type Answer, findResumptions, type Kill, type KillFigures, withAnswers } from './kill-figures.ts';
import { type Install, planInstalls } from './plan.ts';
import { type RecoverySimulator, startRecoverySimulator } from './simulators.ts';
import type { SeenCondition, WorkOrder } from './work-order.ts';

/** How workers are killed. */
export interface KillRunOptions {
  readonly seed: number;
  readonly kills: number;
  /** Of a worker, at random within half and one and a half of it. */
  readonly everyMs: number;
  /** Servers that there are; each is updated once. */
  readonly installs: number;
  /** How many installs go on at once: fewer than there are places, so that none waits for one. */
  readonly open: number;
  readonly processes: number;
  readonly concurrency: number;
  /** Workers reach the engine over HTTP, which keeps its own file, unless given: then all are on that database. */
  readonly databaseUrl?: string;
  readonly natsUrl?: string;
  /** How much faster than real time BMCs and hosts are; in real time unless given. */
  readonly simulatorSpeed?: number;
  /** What the servers are; all that are simulated unless given. */
  readonly personalities?: readonly PersonalityName[];
  readonly onProgress?: (kills: number, over: number) => void;
  /** A folder that is kept. */
  readonly keptIn?: string;
}

/** An install fails for good after ten lost leases: workers that hold one with so many are left alone. */
const mostLeases = 7;

/** Kills workers at random moments, with the settings that operators get and in real time, and looks what comes of it. */
export async function runKills(options: KillRunOptions): Promise<KillFigures> {
  const folder = options.keptIn ?? mkdtempSync(join(tmpdir(), 'kills-'));
  mkdirSync(folder, { recursive: true });
  const { seed, installs: servers, simulatorSpeed: speed = 1, personalities } = options;
  const kinds = personalities === undefined ? {} : { personalities };
  const simulator = await startRecoverySimulator({ seed, servers, speed, ...kinds });
  const run = new KillRun(options, { folder, simulator });
  const closeWithUs = (): void => void run.close();
  process.once('exit', closeWithUs);
  try {
    return await Promise.race([run.run(), run.crashed]);
  } finally {
    await run.close();
    process.removeListener('exit', closeWithUs);
    if (options.keptIn === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

class KillRun {
  readonly #options: KillRunOptions;
  readonly #folder: string;
  readonly #simulator: RecoverySimulator;
  readonly #random: SeededRandom;
  readonly #installs: readonly Install[];
  readonly #workers: Member[] = [];
  readonly #ordered: Install[] = [];
  readonly #leases = new Map<string, number>();
  /** By holder. */
  readonly #targets = new Map<string, string>();
  readonly #holds = new Map<Member, Set<string>>();
  readonly #kills: Kill[] = [];
  readonly #answers: Answer[] = [];
  readonly #crash = Promise.withResolvers<never>();
  #boss: Member | undefined;
  #desk!: EngineDesk;

  constructor(options: KillRunOptions, at: { readonly folder: string; readonly simulator: RecoverySimulator }) {
    this.#options = options;
    this.#folder = at.folder;
    this.#simulator = at.simulator;
    this.#random = seededRandom(options.seed);
    const plan = { random: this.#random, speed: 1, blows: ['kill'] } as const;
    this.#installs = planInstalls(at.simulator.servers, plan).map((one) => ({
      ...one,
      orders: one.orders.slice(0, 1),
      moments: [],
    }));
  }

  get crashed(): Promise<never> {
    return this.#crash.promise;
  }

  async run(): Promise<KillFigures> {
    const { seed } = this.#options;
    await this.#simulator.ask({
      ask: 'prepare',
      off: this.#installs.filter(({ isOff }) => isOff).map(({ server }) => server.name),
      faults: this.#installs.flatMap(({ faults }) => faults),
    });
    const began = performance.now();
    await this.#start();
    const isOver = { value: false };
    const killing = this.#killSome(isOver);
    const conditions = await this.#workOff();
    isOver.value = true;
    await killing;
    const resumptions = findResumptions(this.#kills, withAnswers(await this.#desk.events(), this.#answers));
    const verdicts = await this.#judge();
    const sum = (pick: (one: (typeof verdicts)[number]) => number): number =>
      verdicts.reduce((n, one) => n + pick(one), 0);
    return {
      seed,
      kills: this.#kills.length,
      installs: conditions.length,
      seconds: Math.round((performance.now() - began) / 1000),
      resumptions,
      unhappy: conditions
        .filter(({ state }) => state !== 'succeeded')
        .map(({ target, state, why, leases }) => `${target}: ${state} after ${leases} leases, ${why}`),
      taken: sum(({ taken }) => taken),
      neededAgain: sum(({ neededAgain }) => neededAgain),
      violations: verdicts.flatMap(({ violations }) => violations),
    };
  }

  async close(): Promise<void> {
    const all = [...this.#workers, ...(this.#boss === undefined ? [] : [this.#boss])];
    await Promise.all([...all.map((one) => one.end()), this.#simulator.close()]);
  }

  async #judge() {
    const path = join(this.#folder, 'histories.json');
    await this.#simulator.ask({ ask: 'histories', path });
    const histories = JSON.parse(readFileSync(path, 'utf8')) as MachineHistory[];
    return this.#ordered.map(({ server, expected }) => {
      const history = histories.find(({ name }) => name === server.name);
      if (history === undefined) throw new Error(`there is no history of ${server.name}`);
      return checkHistory(history, expected);
    });
  }

  async #start(): Promise<void> {
    const { processes, databaseUrl } = this.#options;
    writeFileSync(join(this.#folder, 'fleet.json'), JSON.stringify(this.#installs.map(({ server }) => server)));
    writeFileSync(join(this.#folder, 'moments.json'), '{}');
    this.#desk = createPipeDesk((request) => boss.send(request));
    const boss: Member = this.#hire('orchestrator', 'orc', {});
    this.#boss = boss;
    const { workerApiUrl } = await boss.ready;
    const isShared = databaseUrl !== undefined;
    for (let at = 1; at <= processes; at += 1) {
      const api = isShared ? {} : { workerApiUrl: String(workerApiUrl) };
      this.#workers.push(this.#hire(isShared ? 'worker' : 'remote-worker', `w${at}`, api));
    }
    await Promise.all(this.#workers.map(({ ready }) => ready));
  }

  #hire(role: WorkOrder['role'], name: string, more: Partial<WorkOrder>): Member {
    const { concurrency, databaseUrl, natsUrl } = this.#options;
    const orderOf = (life: number): WorkOrder => ({
      name: `${name}-${life}`,
      role,
      tempo: { speed: 1, epochMs: Date.now() },
      seed: this.#random.below(2 ** 31),
      fleetPath: join(this.#folder, 'fleet.json'),
      momentsPath: join(this.#folder, 'moments.json'),
      passedPath: join(this.#folder, 'passed'),
      dataDir: join(this.#folder, 'data'),
      concurrency,
      areDefaults: true,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(natsUrl === undefined ? {} : { natsUrl }),
      ...(this.#options.keptIn === undefined ? {} : { logPath: join(this.#folder, `${name}.log`) }),
      ...more,
    });
    const member = hire(orderOf, {
      random: this.#random,
      onLine: (line, life) => {
        if (role === 'orchestrator') this.#desk.hear(line);
        if (line.say === 'leased') this.#noteLease(member, line);
        if (line.say === 'answered')
          this.#answers.push({ at: Date.now(), target: String(line.target), controller: `flasher/${life}` });
        if (line.say === 'left') this.#holds.get(member)?.delete(String(line.holder));
        if (line.say === 'crashed') this.#crash.reject(new Error(`${life} ended with ${line.code}: ${line.tail}`));
        if (this.#options.keptIn !== undefined && line.say !== 'answer')
          appendFileSync(join(this.#folder, 'lines'), `${Date.now()} ${life} ${JSON.stringify(line)}\n`);
      },
    });
    return member;
  }

  #noteLease(member: Member, line: { readonly [member: string]: unknown }): void {
    const { target, holder, leases } = line;
    this.#leases.set(String(target), Number(leases));
    const holds = this.#holds.get(member) ?? new Set();
    this.#holds.set(member, holds.add(`${holder}`));
    this.#targets.set(`${holder}`, String(target));
  }

  /** Orders so many installs that the same number goes on all the time; gives what became of them. */
  async #workOff(): Promise<readonly SeenCondition[]> {
    const left = [...this.#installs];
    for (;;) {
      const all = await this.#desk.list();
      // A server is also read again after its install.
      const conditions = all.filter(({ kind }) => kind === 'firmwareInstall');
      const open = conditions.filter(({ state }) => state === 'pending' || state === 'active').length;
      const isEnough = this.#kills.length >= this.#options.kills;
      if (isEnough) left.length = 0;
      if (open === 0 && left.length === 0) return conditions;
      for (const install of left.splice(0, this.#options.open - open)) {
        this.#ordered.push(install);
        await this.#desk.create(install.target, install.orders);
      }
      this.#options.onProgress?.(this.#kills.length, conditions.length - open);
      await delay(1000);
    }
  }

  async #killSome(isOver: { readonly value: boolean }): Promise<void> {
    const { kills, everyMs } = this.#options;
    while (!isOver.value && this.#kills.length < kills) {
      await delay(everyMs / 2 + this.#random.below(everyMs));
      const worn = (member: Member): boolean =>
        [...(this.#holds.get(member) ?? [])].some(
          (holder) => (this.#leases.get(this.#targets.get(holder) ?? '') ?? 0) > mostLeases,
        );
      const busy = this.#workers.filter((one) => one.busy > 0 && !worn(one));
      const member = busy[this.#random.below(Math.max(1, busy.length))];
      if (isOver.value || member === undefined) continue;
      const name = `w${this.#workers.indexOf(member) + 1}-${member.lives}`;
      this.#kills.push({ controller: `flasher/${name}`, at: Date.now() });
      this.#holds.delete(member);
      member.strike(undefined);
    }
  }
}
