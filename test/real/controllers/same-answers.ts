import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startApiServer } from '../../../src/apiserver/index.ts';
import { freePortRange } from '../free-ports.ts';
import { startRealKube } from '../kube/real-kube.ts';
import { compareExchanges } from './exchanges.ts';
import { controllerPrograms } from './programs.ts';
import { type ControllerRecord, runController, type ServerAddress, scenarios } from './run-controllers.ts';

// Run by controllers.real.test.ts and controllers.chaos.test.ts, in a network of its own.

const { RACKWRIGHT_CONTROLLER_MINUTES, RACKWRIGHT_CONTROLLER_RECORDS } = process.env;
const forMs = Number(RACKWRIGHT_CONTROLLER_MINUTES ?? 0) * 60_000;

type Records = ReadonlyMap<string, ControllerRecord>;

describe('controllers of other projects', () => {
  const folder = mkdtempSync(join(tmpdir(), 'controllers-'));
  let records: { readonly embedded: Records; readonly real: Records };
  before(async () => {
    // One after the other: ten controllers at once are too much for a small machine.
    records = { embedded: await runOnEmbedded(join(folder, 'embedded')), real: await runOnReal(join(folder, 'real')) };
    keep(records);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const { name } of scenarios) {
    it(`${name} requests the same of the embedded server, and gets the same answers`, (t) => {
      const [embedded, real] = [records.embedded.get(name), records.real.get(name)];
      assert.ok(embedded !== undefined && real !== undefined);
      t.diagnostic(`embedded: ${inShort(embedded)}; real: ${inShort(real)}`);
      assert.ok(embedded.exchanges.length > 20);
      assert.deepEqual(compareExchanges(embedded.exchanges, real.exchanges), []);
    });
  }
});

async function runOnEmbedded(folder: string): Promise<Records> {
  // Nodes have no kubelet here, and the real server runs without the controller that would miss it.
  const server = await startApiServer({ dataDir: join(folder, 'api'), port: 0, nodeGraceMs: 24 * 3_600_000 });
  try {
    return await runAll({ server: server.url, caPem: server.caPem, token: server.adminToken }, folder);
  } finally {
    await server.close();
  }
}

async function runOnReal(folder: string): Promise<Records> {
  const kube = await startRealKube({ dataDir: join(folder, 'api'), port: await freePortRange(4) });
  try {
    return await runAll({ server: kube.server, caPem: kube.caPem, token: kube.adminToken }, folder);
  } finally {
    await kube.stop();
  }
}

/** All controllers at once: each has work of its own. */
async function runAll(address: ServerAddress, folder: string): Promise<Records> {
  const programs = await controllerPrograms();
  const runs = scenarios.map(async (scenario) => {
    const record = await runController(scenario, { address, program: programs[scenario.name], folder, forMs });
    return [scenario.name, record] as const;
  });
  return new Map(await whenAllEnded(runs));
}

/** What all of them give, or why the first of them failed, but not before the last has ended. */
async function whenAllEnded<T>(runs: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(runs);
  return Promise.all(runs);
}

function inShort({ exchanges, rounds, seconds }: ControllerRecord): string {
  return `${exchanges.length} requests in ${rounds} rounds and ${seconds} s`;
}

/** Writes the records into a folder, for a look at more than the differences. */
function keep(records: Readonly<Record<string, Records>>): void {
  if (RACKWRIGHT_CONTROLLER_RECORDS === undefined) return;
  mkdirSync(RACKWRIGHT_CONTROLLER_RECORDS, { recursive: true });
  for (const [server, found] of Object.entries(records)) {
    for (const [name, { exchanges }] of found) {
      const lines = exchanges.map(({ request, answer }) => `${answer} ${request}\n`);
      writeFileSync(join(RACKWRIGHT_CONTROLLER_RECORDS, `${name}.${server}`), lines.join(''));
    }
  }
}
