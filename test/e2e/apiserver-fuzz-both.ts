import { fc } from '#fast-check';
import type { ApiClient, Reply } from './apiserver-client.ts';
import { type FuzzRequest, fuzzRequest, standingObjects } from './apiserver-fuzz.ts';
import { whyPermitted } from './apiserver-fuzz-permitted.ts';

/** What one server said: all that is compared. */
export interface Verdict {
  readonly code: number;
  /** Of the Status, when the request was refused with one. */
  readonly reason: string | undefined;
}

/** A request that the two servers answered differently, each time it was tried. */
export interface FuzzDifference {
  readonly request: FuzzRequest;
  readonly real: Verdict & { readonly text: string };
  readonly here: Verdict & { readonly text: string };
}

/** What a run came to. */
export interface FuzzComparison {
  /** How many requests went to both servers. */
  readonly compared: number;
  readonly codes: ReadonlyMap<number, number>;
  readonly differences: readonly FuzzDifference[];
  /** The permitted differences that were met, by their reason. */
  readonly permitted: ReadonlyMap<string, readonly FuzzDifference[]>;
}

/** How much is tried, and what is made up. */
export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** Told of each difference that nothing permits as soon as it is found. */
  onDifference?(difference: FuzzDifference): void;
}

/** The two servers under comparison. */
export interface BothServers {
  readonly real: ApiClient;
  readonly here: ApiClient;
}

const requestsPerRound = 20;
const parallelRounds = 4;
/** What differs by chance, such as work that a server does on its own time, does not differ so often in a row. */
const replays = 2;

/**
 * Sends made-up requests to both servers and compares code and reason. Each round has a namespace of its own, with an
 * object of every kind in it, so that rounds run side by side and one that went differently is played again.
 */
export async function compareByFuzz(servers: BothServers, options: FuzzOptions): Promise<FuzzComparison> {
  const run = new ComparisonRun(servers, options.onDifference ?? (() => undefined));
  const rounds = Math.ceil(options.requests / requestsPerRound);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < rounds) {
      const seed = options.seed + next++;
      await run.round(fc.sample(fuzzRequest, { numRuns: requestsPerRound, seed }));
    }
  };
  await Promise.all(Array.from({ length: parallelRounds }, worker));
  return run;
}

class ComparisonRun implements FuzzComparison {
  compared = 0;
  readonly codes = new Map<number, number>();
  readonly differences: FuzzDifference[] = [];
  readonly permitted = new Map<string, FuzzDifference[]>();
  readonly #servers: BothServers;
  readonly #found: (difference: FuzzDifference) => void;
  #namespaces = 0;

  constructor(servers: BothServers, found: (difference: FuzzDifference) => void) {
    this.#servers = servers;
    this.#found = found;
  }

  /** Plays a round; after a difference, the rest of it goes on in a fresh namespace. */
  async round(requests: readonly FuzzRequest[]): Promise<void> {
    let begin = 0;
    while (begin < requests.length) {
      const rest = requests.slice(begin);
      const found = await this.#play(rest, { counts: true });
      if (found.difference !== undefined) await this.#judge(rest.slice(0, found.played), found.difference);
      begin += found.played;
    }
  }

  /** Plays requests in order, up to the first that is answered differently or that makes the next ones uncertain. */
  async #play(
    requests: readonly FuzzRequest[],
    options: { readonly counts: boolean },
  ): Promise<{ played: number; difference: FuzzDifference | undefined }> {
    const namespace = await this.#namespace();
    for (const [index, request] of requests.entries()) {
      const pair = await this.#ask(moved(request, namespace));
      if (options.counts) this.#count(pair.real.code);
      const isSame = pair.real.code === pair.here.code && pair.real.reason === pair.here.reason;
      if (!isSame) return { played: index + 1, difference: { request, ...pair } };
      if (leavesWork(request, pair.real)) return { played: index + 1, difference: undefined };
    }
    return { played: requests.length, difference: undefined };
  }

  async #judge(prefix: readonly FuzzRequest[], first: FuzzDifference): Promise<void> {
    const reason = whyPermitted(first);
    if (reason !== undefined) {
      this.permitted.set(reason, [...(this.permitted.get(reason) ?? []), first]);
      return;
    }
    for (let replay = 0; replay < replays; replay++) {
      const again = await this.#play(prefix, { counts: false });
      if (again.difference?.request !== first.request) return;
    }
    this.differences.push(first);
    this.#found(first);
  }

  async #ask(request: FuzzRequest): Promise<{ real: Answered; here: Answered }> {
    const [real, here] = await Promise.all([ask(this.#servers.real, request), ask(this.#servers.here, request)]);
    return { real, here };
  }

  async #namespace(): Promise<string> {
    const name = `both-${this.#namespaces++}`;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const setUp = async (client: ApiClient): Promise<void> => {
      await must(client, '/api/v1/namespaces', JSON.stringify(namespace));
      const namespaced = standingObjects.filter(({ path }) => path.includes('/default/'));
      for (const { path, body } of namespaced) await must(client, inNamespace(path, name), body);
    };
    await Promise.all([setUp(this.#servers.real), setUp(this.#servers.here)]);
    return name;
  }

  #count(code: number): void {
    this.compared++;
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }
}

type Answered = Verdict & { readonly text: string };

async function ask(client: ApiClient, request: FuzzRequest): Promise<Answered> {
  const { method, path, body } = request;
  const headers = { accept: request.accept, ...(body === undefined ? {} : { 'content-type': request.contentType }) };
  const mayStream = method === 'GET' && /[?&]watch=|\/watch(\/|$)/.test(path);
  const send = mayStream ? client.probe.bind(client) : client.request.bind(client);
  const reply = await send(method, path, { body, headers }).catch(cutOff);
  return { code: reply.code, reason: reasonOf(reply), text: reply.text.slice(0, 5_000) };
}

/** A connection that is cut is an answer too, and one that must not differ. */
function cutOff(error: Error): Reply {
  return { code: 0, headers: {}, text: error.message };
}

function reasonOf(reply: Reply): string | undefined {
  if (reply.code < 400) return undefined;
  return /"?reason"?: ?"?(\w+)/.exec(reply.text)?.[1];
}

/**
 * Owners that do not exist make a server delete the object on its own time: what it meets then is a matter of chance.
 * And what cannot be shown in the form that was asked for, the real server has written all the same.
 */
function leavesWork(request: FuzzRequest, { code, text }: Answered): boolean {
  if (code < 300) return request.body?.includes('ownerReferences') === true;
  return request.method !== 'GET' && (code === 406 || text.includes('Unable to convert to Table'));
}

function moved(request: FuzzRequest, namespace: string): FuzzRequest {
  return { ...request, path: inNamespace(request.path, namespace) };
}

function inNamespace(path: string, namespace: string): string {
  return path.replace('/namespaces/default/', `/namespaces/${namespace}/`);
}

async function must(client: ApiClient, path: string, body: string): Promise<void> {
  const reply = await client.request('POST', path, { body });
  if (reply.code !== 201) throw new Error(`setting up ${path}: ${reply.code} ${reply.text.slice(0, 300)}`);
}
