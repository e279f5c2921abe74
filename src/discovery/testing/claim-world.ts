import { formatKey, keyOf, kubeError } from '../../kube/index.ts';
import { type ClaimObject, readClaim } from '../claims/claim.ts';
import { type ClaimDesk, claimHost, type NewHost, releaseClaim } from '../claims/claim-host.ts';
import { aHost } from './rig.ts';

/** For tests: the only machine that hosts are made of, and one whose host only has a name. */
export const machineMac = '52:54:00:00:00:01';
const otherMac = '52:54:00:00:00:02';

/** For tests: the times that claims go by. */
export interface ClaimTimes {
  readonly createWithinMs: number;
  readonly requestMs: number;
  readonly retakeMs: number;
}

interface Snapshot {
  readonly claim: ClaimObject | undefined;
  readonly hosts: ReadonlyMap<string, NewHost>;
}

interface Request {
  readonly deadline: number;
  /** It arrives; what comes of it is the answer. */
  readonly land: () => void;
  /** The answer is heard. */
  readonly answer: () => void;
  readonly expire: () => void;
  hasLanded: boolean;
}

/** For tests: an API server whose past versions are kept, and requests that are on their way to it. */
export class ClaimWorld {
  readonly times: ClaimTimes;
  readonly history: Snapshot[] = [{ claim: undefined, hosts: new Map() }];
  /** Requests of processes that are dead. */
  readonly lost: Request[] = [];
  nowMs = 0;
  #version = 0;

  constructor(times: ClaimTimes) {
    this.times = times;
  }

  get newest(): Snapshot {
    return this.history.at(-1) as Snapshot;
  }

  /** The hosts that are of the machine. */
  hostsOfMachine(): NewHost[] {
    return [...this.newest.hosts.values()].filter(({ spec }) => spec?.bootMACAddress === machineMac);
  }

  writeClaim(claim: ClaimObject | undefined): ClaimObject {
    this.#version += 1;
    const written = claim && { ...claim, metadata: { ...claim.metadata, resourceVersion: String(this.#version) } };
    this.history.push({ ...this.newest, claim: written });
    return written as ClaimObject;
  }

  createHost(host: NewHost): NewHost {
    const key = formatKey(keyOf(host));
    if (this.newest.hosts.has(key)) throw kubeError('AlreadyExists', key);
    this.history.push({ ...this.newest, hosts: new Map([...this.newest.hosts, [key, host]]) });
    return host;
  }

  /** Somebody deletes a host. */
  deleteHost(key: string): void {
    const hosts = new Map(this.newest.hosts);
    if (hosts.delete(key)) this.history.push({ ...this.newest, hosts });
  }

  /** Somebody gives a name to a host of another machine. */
  squat(name: string): void {
    if (!this.newest.hosts.has(`fleet/${name}`)) this.createHost(aHost(name, otherMac));
  }
}

/** For tests: a process whose caches are behind, and whose requests take as long as chance wants. */
export class ClaimActor {
  readonly #world: ClaimWorld;
  readonly #host: NewHost;
  #claimsSeen = 0;
  #hostsSeen = 0;
  #quietSince = 0;
  #pending: Request | undefined;
  #isWorking = false;
  /** Grows with every crash: what an earlier life was about is not heard of any more. */
  #life = 0;

  constructor(world: ClaimWorld, name: string) {
    this.#world = world;
    this.#host = aHost(name, machineMac);
  }

  catchUpClaims(): void {
    const before = this.#claim?.metadata.resourceVersion;
    this.#claimsSeen = Math.min(this.#claimsSeen + 1, this.#world.history.length - 1);
    if (this.#claim?.metadata.resourceVersion !== before) this.#quietSince = this.#world.nowMs;
  }

  catchUpHosts(): void {
    this.#hostsSeen = Math.min(this.#hostsSeen + 1, this.#world.history.length - 1);
  }

  /** Sees all that there is. */
  async catchUp(): Promise<void> {
    while (this.#claimsSeen < this.#world.history.length - 1) this.catchUpClaims();
    while (this.#hostsSeen < this.#world.history.length - 1) this.catchUpHosts();
  }

  /** The process dies; what it has sent may still arrive. Another begins in its place, with new caches. */
  async crash(): Promise<void> {
    if (this.#pending?.hasLanded === false) this.#world.lost.push(this.#pending);
    this.#pending = undefined;
    this.#isWorking = false;
    this.#life += 1;
    this.#claimsSeen = this.#hostsSeen = this.#world.history.length - 1;
    this.#quietSince = this.#world.nowMs;
  }

  /** Lets the request that is under way arrive, its answer be heard, or both; true when there was one. */
  async act({ isPrompt }: { readonly isPrompt: boolean } = { isPrompt: true }): Promise<boolean> {
    const request = this.#pending;
    if (request === undefined) return false;
    const isLate = this.#world.nowMs > request.deadline;
    const isHeard = request.hasLanded || isPrompt;
    if (!isLate && !request.hasLanded) request.land();
    if (!isLate && !isHeard) return true;
    this.#pending = undefined;
    if (isLate) request.expire();
    else request.answer();
    await settled();
    return true;
  }

  /** Makes a host of the machine, unless it sees one. */
  async look(): Promise<void> {
    await this.#work(async (desk) => {
      const { hosts } = this.#world.history[this.#hostsSeen] as Snapshot;
      if ([...hosts.values()].some(({ spec }) => spec?.bootMACAddress === machineMac)) return;
      // A name that is taken is refused before anything is claimed.
      if (hosts.has(formatKey(keyOf(this.#host)))) return;
      const { times } = this.#world;
      await claimHost(this.#host, this.#claim, {
        desk,
        context: {
          ...times,
          namespace: 'claims',
          now: () => this.#world.nowMs,
          monotonic: () => this.#world.nowMs,
          quietForMs: (claim) => this.#quietForMs(claim),
        },
      });
    });
  }

  /** Takes the claim away where nobody seems to need it. */
  async release(): Promise<void> {
    await this.#work(async (desk) => {
      const claim = this.#claim;
      if (claim === undefined || this.#quietForMs(claim) < this.#world.times.retakeMs) return;
      await releaseClaim(claim, desk);
    });
  }

  get #claim(): ClaimObject | undefined {
    return this.#world.history[this.#claimsSeen]?.claim;
  }

  #quietForMs({ metadata }: ClaimObject): number {
    if (this.#claim?.metadata.resourceVersion !== metadata.resourceVersion) return 0;
    return this.#world.nowMs - this.#quietSince;
  }

  async #work(work: (desk: ClaimDesk) => Promise<void>): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    const life = this.#life;
    void work(this.#desk())
      .catch((error: unknown) => {
        if (!(error instanceof Error) || !/took too long/.test(error.message)) throw error;
      })
      .finally(() => {
        if (this.#life === life) this.#isWorking = false;
      });
    await settled();
  }

  #desk(): ClaimDesk {
    const world = this.#world;
    const send = <T>(run: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        let hear = (): void => {};
        const request: Request = {
          deadline: world.nowMs + world.times.requestMs,
          hasLanded: false,
          land() {
            request.hasLanded = true;
            try {
              const answer = run();
              hear = () => resolve(answer);
            } catch (error) {
              hear = () => reject(error);
            }
          },
          answer: () => hear(),
          expire: () => reject(new Error('it took too long')),
        };
        this.#pending = request;
      });
    const insist = (claim: ClaimObject): void => {
      const { claim: there } = world.newest;
      if (there === undefined) throw kubeError('NotFound', 'claim');
      if (there.metadata.resourceVersion !== claim.metadata.resourceVersion) throw kubeError('Conflict', 'claim');
    };
    return {
      readClaim: () => send(() => world.newest.claim),
      createClaim: (claim) =>
        send(() => {
          if (world.newest.claim !== undefined) throw kubeError('AlreadyExists', 'claim');
          return world.writeClaim(claim);
        }),
      replaceClaim: (claim) =>
        send(() => {
          insist(claim);
          return world.writeClaim(claim);
        }),
      deleteClaim: (claim) =>
        send(() => {
          insist(claim);
          world.writeClaim(undefined);
        }),
      readHost: (key) => send(() => world.newest.hosts.get(key)),
      createHost: (host) => send(() => world.createHost(host)),
    };
  }
}

/** What follows from an answer happens before anything else does. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** For tests: what the newest claim names. */
export function claimedHost({ newest }: ClaimWorld): string | undefined {
  return newest.claim === undefined ? undefined : readClaim(newest.claim)?.host;
}
