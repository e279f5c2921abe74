import { expectStatus, fillNamespace, inParallel, itemsPath, itemText, statusPatchText } from './bench-resource.ts';
import { percentile } from './figures.ts';
import { type Endpoint, HttpConnection } from './http-connection.ts';

/** What every measurement is told. */
export interface Load {
  readonly endpoint: Endpoint;
  /** Processor time the server has used so far. */
  cpuMs(): number;
  readonly clients: number;
  readonly seconds: number;
  readonly watchers: number;
  /** Makes names unique across rounds. */
  readonly round: number;
}

/** Figures by name; rates per second, times in milliseconds. */
export type Figures = Record<string, number>;

/** The media type of the patches that are measured. */
export const patchType = 'application/merge-patch+json';

/** Creates as many objects as 16 clients manage. */
export async function measureCreates(load: Load): Promise<Figures> {
  return throughput(load, 'creates', async (connection, client, turn) => {
    const text = itemText(`r${load.round}-c${client}-${turn}`);
    expectStatus(await connection.request('POST', itemsPath('bench'), text), 201);
  });
}

/** Patches the status of existing objects, each client its own ones. */
export async function measureStatusPatches(load: Load): Promise<Figures> {
  return throughput(load, 'statusPatches', async (connection, client, turn) => {
    const path = `${itemsPath('listed', objectOf(load, client, turn))}/status`;
    const text = statusPatchText(load.round * 1_000_000 + turn);
    expectStatus(await connection.request('PATCH', path, text, patchType), 200);
  });
}

/** Reads single objects. */
export async function measureGets(load: Load): Promise<Figures> {
  return throughput(load, 'gets', async (connection, client, turn) => {
    expectStatus(await connection.request('GET', itemsPath('listed', objectOf(load, client, turn))), 200);
  });
}

/** Lists 1,000 objects, one request after the other. */
export async function measureLists(load: Load): Promise<Figures> {
  const connection = await HttpConnection.open(load.endpoint);
  const times: number[] = [];
  for (let i = 0; i < 15; i++) {
    const began = performance.now();
    const reply = await connection.request('GET', itemsPath('listed'));
    times.push(performance.now() - began);
    expectStatus(reply, 200);
    if (i === 0) expectItems(reply.body, listedObjects);
  }
  connection.close();
  return { listP50Ms: percentile(times, 0.5) };
}

/** How many objects the list measurement lists. */
export const listedObjects = 1000;

/** Fills the namespace that is listed, patched and read. */
export function fillListed(endpoint: Endpoint, clients: number): Promise<void> {
  return fillNamespace('listed', { endpoint, clients, from: 0, to: listedObjects });
}

/** Changes one object again and again and takes the time until each watcher has seen the change. */
export async function measureWatches(load: Load): Promise<Figures> {
  const writer = await HttpConnection.open(load.endpoint);
  const name = `watched-${load.round}`;
  expectStatus(await writer.request('POST', itemsPath('watched'), itemText(name)), 201);
  const list = await writer.request('GET', itemsPath('watched'));
  const version = (JSON.parse(list.body.toString()) as { metadata: { resourceVersion: string } }).metadata
    .resourceVersion;
  const seen = new ArrivalTimes(load.watchers);
  const watchers = await Promise.all(Array.from({ length: load.watchers }, () => HttpConnection.open(load.endpoint)));
  for (const [index, watcher] of watchers.entries()) {
    const path = `${itemsPath('watched')}?watch=true&resourceVersion=${version}`;
    watcher.stream(path, (chunk) => seen.feed(index, chunk));
  }
  const times: number[] = [];
  for (let turn = 0; turn < 105; turn++) {
    const marker = `seen ${load.round}-${turn}-end`;
    const conditions = [{ type: 'Ready', status: 'True', message: marker }];
    const began = performance.now();
    const arrived = seen.expect(marker);
    const path = `${itemsPath('watched', name)}/status`;
    expectStatus(await writer.request('PATCH', path, JSON.stringify({ status: { conditions } }), patchType), 200);
    const arrivals = await arrived;
    // The first turns wait for the watches to open.
    if (turn >= 5) times.push(...arrivals.map((at) => at - began));
  }
  for (const connection of [writer, ...watchers]) connection.close();
  return { watchP50Ms: percentile(times, 0.5), watchP99Ms: percentile(times, 0.99) };
}

/** Notes when each of the watchers has received the change that is waited for. */
class ArrivalTimes {
  readonly #tails: Buffer[];
  readonly #times: (number | undefined)[];
  #marker = Buffer.from('');
  #missing = 0;
  #done: (times: number[]) => void = () => {};

  constructor(watchers: number) {
    this.#tails = Array.from({ length: watchers }, () => Buffer.alloc(0));
    this.#times = Array.from({ length: watchers });
  }

  expect(marker: string): Promise<number[]> {
    this.#marker = Buffer.from(marker);
    this.#times.fill(undefined);
    this.#missing = this.#times.length;
    return new Promise((done, fail) => {
      const limit = setTimeout(
        () => fail(new Error(`${this.#missing} watchers did not see a change within 30 s`)),
        30_000,
      );
      this.#done = (times) => {
        clearTimeout(limit);
        done(times);
      };
    });
  }

  /** The marker may lie across two chunks, so the end of the last one is kept. */
  feed(watcher: number, chunk: Buffer): void {
    const text = Buffer.concat([this.#tails[watcher] ?? Buffer.alloc(0), chunk]);
    this.#tails[watcher] = text.subarray(-64);
    if (this.#times[watcher] !== undefined || !text.includes(this.#marker)) return;
    this.#times[watcher] = performance.now();
    this.#missing--;
    if (this.#missing === 0) this.#done(this.#times.filter((each) => each !== undefined));
  }
}

type Turn = (connection: HttpConnection, client: number, turn: number) => Promise<void>;

async function throughput(load: Load, name: string, act: Turn): Promise<Figures> {
  const deadline = performance.now() + load.seconds * 1000;
  const began = performance.now();
  const cpuBefore = load.cpuMs();
  const times: number[] = [];
  await inParallel(load.endpoint, load.clients, async (connection, client) => {
    for (let turn = 0; performance.now() < deadline; turn++) {
      const sent = performance.now();
      await act(connection, client, turn);
      times.push(performance.now() - sent);
    }
  });
  const seconds = (performance.now() - began) / 1000;
  return {
    [`${name}PerSecond`]: times.length / seconds,
    [`${name}P99Ms`]: percentile(times, 0.99),
    [`${name}CpuMsEach`]: (load.cpuMs() - cpuBefore) / times.length,
  };
}

function objectOf(load: Load, client: number, turn: number): string {
  const perClient = Math.floor(listedObjects / load.clients);
  return `item-${client + load.clients * (turn % perClient)}`;
}

function expectItems(body: Buffer, count: number): void {
  const { items } = JSON.parse(body.toString()) as { items: unknown[] };
  if (items.length !== count) throw new Error(`the list holds ${items.length} objects, not ${count}`);
}
