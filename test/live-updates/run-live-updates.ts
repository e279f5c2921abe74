import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../chaos/seeded-random.ts';
import { hasOpenUpdate } from '../recovery/check-log.ts';
import type { MachineHistory } from '../recovery/fleet.ts';
import { askForChange, type ChangeEnd } from './ask-for-change.ts';
import { type FollowedHosts, followHosts } from './follow-hosts.ts';
import { judgeHistory, mostAtOnce } from './judge-history.ts';
import { type Controllers, type LiveFleet, putLiveHost, startLiveFleet } from './live-fleet.ts';
import { type HostPlan, planChanges } from './plan-changes.ts';

/** How a run is set up. */
export interface LiveRunOptions {
  readonly seed: number;
  readonly hosts: number;
  /** Live updates of each host, one after the other. */
  readonly each: number;
  /** How often the controllers are killed. */
  readonly kills: number;
  /** How many hosts may be serviced at once. */
  readonly limit: number;
  readonly speed?: number;
  /** How long anything may take before it is given up. */
  readonly limitMs: number;
  readonly logPath?: string;
  readonly onProgress?: (text: string) => void;
}

/** What a run came to. */
export interface LiveFigures {
  readonly seed: number;
  readonly updates: number;
  readonly kills: number;
  /** Kills while at least one host said that it was serviced. */
  readonly killsInService: number;
  readonly seconds: number;
  readonly endedOk: number;
  /** Hosts that ended in an error, with its cause. */
  readonly endedInError: readonly string[];
  /** What ended otherwise than it should. */
  readonly wrongEnds: readonly string[];
  /** Broken promises, by the machines' own logs. */
  readonly violations: readonly string[];
  readonly written: number;
  readonly applied: number;
  readonly restarts: number;
  readonly mostServicing: number;
  readonly mostWorkedOn: number;
}

const defaultSpeed = 60;
/** Controllers that do nothing for so long are killed all the same. */
const mostIdleMs = 20_000;

/** Updates hosts in use while the controllers are killed at random, and judges what came of it from the machines' own logs. */
export async function runLiveUpdates(options: LiveRunOptions): Promise<LiveFigures> {
  const { seed, hosts, limit, speed = defaultSpeed, limitMs, logPath } = options;
  const fleet = await startLiveFleet({ seed, hosts, speed, limit, ...(logPath === undefined ? {} : { logPath }) });
  try {
    const followed = await followHosts(fleet.api, { limitMs });
    try {
      return await new Run(options, fleet, followed).run();
    } finally {
      await followed.stop();
    }
  } finally {
    await fleet.close();
  }
}

interface Ended {
  readonly plan: HostPlan;
  readonly ends: readonly ChangeEnd[];
}

class Run {
  readonly #options: LiveRunOptions;
  readonly #fleet: LiveFleet;
  readonly #hosts: FollowedHosts;
  readonly #plans: readonly HostPlan[];
  readonly #crash = Promise.withResolvers<never>();
  #controllers: Controllers;
  #kills = 0;
  #isOver = false;
  #killsInService = 0;
  /** Whoever waits until so many kills are over. */
  #waiting: { readonly kills: number; readonly go: () => void }[] = [];

  constructor(options: LiveRunOptions, fleet: LiveFleet, hosts: FollowedHosts) {
    this.#options = options;
    this.#fleet = fleet;
    this.#hosts = hosts;
    this.#plans = planChanges(fleet.servers, options);
    this.#controllers = this.#start();
    this.#crash.promise.catch(() => undefined);
  }

  async run(): Promise<LiveFigures> {
    const { api, servers } = this.#fleet;
    const began = performance.now();
    for (const server of servers) await putLiveHost(api, server);
    await Promise.race([Promise.all(servers.map(({ name }) => this.#whenInUse(name))), this.#crash.promise]);
    this.#say(`${servers.length} hosts are in use`);
    await this.#fleet.tell({ ask: 'prepare', off: [], faults: this.#plans.flatMap(({ faults }) => faults) });
    const from = (await this.#fleet.histories()).map(({ events }) => events.length);
    const work = Promise.all(this.#plans.map((plan, index) => this.#drive(plan, index)));
    const [ended] = await Promise.race([Promise.all([work, this.#killAll()]), this.#crash.promise]).finally(() => {
      this.#isOver = true;
    });
    return this.#judge({ ended, from, seconds: Math.round((performance.now() - began) / 1000) });
  }

  #say(text: string): void {
    this.#options.onProgress?.(`${Math.round(performance.now() / 100) / 10} ${text}`);
  }

  async #whenInUse(name: string): Promise<void> {
    await this.#hosts.when(name, 'be in use', ({ status }) => status?.provisioning.state === 'provisioned');
  }

  #start(): Controllers {
    const controllers = this.#fleet.startControllers();
    void controllers.process.ended.then(({ signal, code }) => {
      if (signal === 'SIGKILL') return;
      this.#crash.reject(new Error(`the controllers ended with ${code}: ${controllers.process.tail()}`));
    });
    return controllers;
  }

  async #drive(plan: HostPlan, index: number): Promise<Ended> {
    const { name } = plan.server;
    const ends: ChangeEnd[] = [];
    for (const [at, change] of plan.changes.entries()) {
      await this.#untilKills(this.#dueAt(at * this.#plans.length + index));
      const began = performance.now();
      ends.push(await askForChange({ api: this.#fleet.api, hosts: this.#hosts }, name, change));
      this.#say(`${name} ${at} ended after ${Math.round(performance.now() - began)} ms: ${JSON.stringify(change)}`);
    }
    return { plan, ends };
  }

  /** Changes are spread over the kills, so that none of these finds everybody at rest. */
  #dueAt(nth: number): number {
    const { kills, each } = this.#options;
    const share = nth / (this.#plans.length * each);
    return Math.max(0, Math.floor(share * kills) - 1);
  }

  #untilKills(kills: number): Promise<void> {
    if (this.#kills >= kills) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ kills, go }));
  }

  /** Some die before they run, most in the middle of their work. */
  async #killAll(): Promise<void> {
    const random = seededRandom(this.#options.seed);
    await this.#controllers.ready;
    while (this.#kills < this.#options.kills && !this.#isOver) {
      const { process, ready } = this.#controllers;
      if (random.below(8) === 0) await delay(random.below(1500));
      else {
        await ready;
        await this.#hosts.whenChanged(1 + random.below(8), mostIdleMs);
      }
      if (this.#hosts.servicing > 0) this.#killsInService += 1;
      process.signal('SIGKILL');
      await process.ended;
      this.#controllers = this.#start();
      this.#kills += 1;
      this.#say(`killed ${this.#kills} times, ${this.#hosts.servicing} hosts in service`);
      const free = this.#waiting.filter(({ kills }) => kills <= this.#kills);
      this.#waiting = this.#waiting.filter(({ kills }) => kills > this.#kills);
      for (const { go } of free) go();
    }
  }

  /** What fails is tried again and again, so each machine is judged by its log at a moment when its BMC is at nothing. */
  async #whenAtRest(): Promise<ReadonlyMap<string, MachineHistory>> {
    const found = new Map<string, MachineHistory>();
    const end = performance.now() + this.#options.limitMs;
    while (found.size < this.#plans.length && performance.now() < end) {
      for (const history of await this.#fleet.histories()) {
        if (!found.has(history.name) && !hasOpenUpdate(history)) found.set(history.name, history);
      }
      if (found.size < this.#plans.length) await delay(500);
    }
    return found;
  }

  async #judge(about: {
    readonly ended: readonly Ended[];
    readonly from: readonly number[];
    readonly seconds: number;
  }): Promise<LiveFigures> {
    const { ended, from, seconds } = about;
    const histories = await this.#whenAtRest();
    const verdicts = this.#plans.map((plan, index) => {
      const history = histories.get(plan.server.name);
      if (history === undefined) throw new Error(`${plan.server.name} does not come to the end of an update`);
      return judgeHistory(history, plan, from[index] ?? 0);
    });
    const sum = (value: (verdict: (typeof verdicts)[number]) => number): number =>
      verdicts.reduce((all, each) => all + value(each), 0);
    const all = ended.flatMap(({ plan, ends }) => ends.map((end, at) => ({ plan, end, change: plan.changes[at] })));
    const errors = all.flatMap(({ plan, end }) =>
      end.kind === 'error' ? [`${plan.server.name}: ${end.type}: ${end.message}`] : [],
    );
    const wrong = all.filter(({ end, change }) => {
      if (end.kind === 'OK') return change?.failure !== undefined;
      return end.message === '' || change?.failure?.test(end.message) !== true;
    });
    return {
      ...{ seed: this.#options.seed, updates: all.length, seconds },
      ...{ kills: this.#kills, killsInService: this.#killsInService },
      endedOk: all.filter(({ end }) => end.kind === 'OK').length,
      endedInError: errors,
      wrongEnds: wrong.map(({ plan, end }) => `${plan.server.name}: ${JSON.stringify(end)}`),
      violations: verdicts.flatMap(({ violations }) => violations),
      written: sum(({ written }) => written),
      applied: sum(({ applied }) => applied),
      restarts: sum(({ restarts }) => restarts),
      mostServicing: this.#hosts.mostServicing,
      mostWorkedOn: mostAtOnce(verdicts.flatMap(({ spans }) => spans)),
    };
  }
}
