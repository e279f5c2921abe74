import type { GrowthMeasure } from './apiserver-bars.ts';
import {
  expectStatus,
  fillNamespace,
  inParallel,
  itemsPath,
  itemText,
  prepare,
  statusPatchText,
} from './bench-resource.ts';
import { median } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import type { MeasuredServer } from './measured-server.ts';
import { patchType } from './measurements.ts';

/** What is measured at each size. */
export interface GrowthOptions {
  /** Objects in the store, from few to many. */
  readonly sizes: readonly number[];
  readonly clients: number;
}

const writesOfBatch = 800;
const batches = 5;
const warmUpPasses = 3;

/** Fills a server step by step and takes what a create and a status patch cost at each step. */
export async function measureGrowth(
  server: MeasuredServer,
  { sizes, clients }: GrowthOptions,
): Promise<GrowthMeasure[]> {
  const connection = await HttpConnection.open(server.endpoint);
  await prepare(connection, ['kept', 'passing']);
  const run = new GrowthRun(server, connection, clients);
  const measures: GrowthMeasure[] = [];
  for (const objects of sizes) {
    await run.fillTo(objects);
    // Code that has just begun to run is slow: what it costs at first would make the smallest size look dear.
    for (let pass = 0; measures.length === 0 && pass < warmUpPasses; pass++) await run.measure();
    measures.push(await run.measure());
  }
  connection.close();
  return measures;
}

class GrowthRun {
  readonly #server: MeasuredServer;
  readonly #connection: HttpConnection;
  readonly #clients: number;
  #objects = 0;
  #counter = 0;

  constructor(server: MeasuredServer, connection: HttpConnection, clients: number) {
    this.#server = server;
    this.#connection = connection;
    this.#clients = clients;
  }

  async fillTo(objects: number): Promise<void> {
    const { endpoint } = this.#server;
    await fillNamespace('kept', { endpoint, clients: this.#clients, from: this.#objects, to: objects });
    this.#objects = objects;
  }

  async measure(): Promise<GrowthMeasure> {
    const creates: Batch[] = [];
    const patches: Batch[] = [];
    for (let batch = 0; batch < batches; batch++) {
      creates.push(await this.#time((turn, connection) => this.#create(turn, connection)));
      expectStatus(await this.#connection.request('DELETE', itemsPath('passing')), 200);
      patches.push(await this.#time((turn, connection) => this.#patch(turn, connection)));
    }
    return {
      objects: this.#objects,
      createCpuMs: cpuOf(creates),
      createMs: median(creates.map(({ ms }) => ms)) / writesOfBatch,
      patchCpuMs: cpuOf(patches),
      patchMs: median(patches.map(({ ms }) => ms)) / writesOfBatch,
    };
  }

  async #time(write: (turn: number, connection: HttpConnection) => Promise<void>): Promise<Batch> {
    let turn = 0;
    const cpuBefore = this.#server.cpuMs();
    const began = performance.now();
    await inParallel(this.#server.endpoint, this.#clients, async (connection) => {
      while (turn < writesOfBatch) await write(turn++, connection);
    });
    return { ms: performance.now() - began, cpuMs: this.#server.cpuMs() - cpuBefore };
  }

  async #create(turn: number, connection: HttpConnection): Promise<void> {
    const reply = await connection.request('POST', itemsPath('passing'), itemText(`passing-${turn}`));
    expectStatus(reply, 201);
  }

  /** Spread over everything there is, so that nothing that lies together is near at hand. */
  async #patch(turn: number, connection: HttpConnection): Promise<void> {
    const index = Math.floor((turn * this.#objects) / writesOfBatch);
    const path = `${itemsPath('kept', `item-${index}`)}/status`;
    expectStatus(await connection.request('PATCH', path, statusPatchText(++this.#counter), patchType), 200);
  }
}

interface Batch {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Of all batches together, since the kernel counts in hundredths of a second. */
function cpuOf(measured: readonly Batch[]): number {
  return measured.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / (measured.length * writesOfBatch);
}
