import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiClient } from '../e2e/apiserver-client.ts';
import { createWidgetCrd } from '../e2e/apiserver-fixture.ts';
import { Follower } from './apiserver-follower.ts';
import { admitLoadUsers, Load, loadPaths, markerFor } from './apiserver-load.ts';
import { type ApiServerProcess, killWhileStarting, startApiServerProcess } from './apiserver-process.ts';
import { ToldRecord } from './apiserver-record.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** How many times to kill, and from which seed the moments and the load come. */
export interface ApiServerKillOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly onRound?: (round: ApiServerKillRound) => void;
}

/** What happened until the end of a round. */
export interface ApiServerKillRound {
  readonly round: number;
  /** Writes answered so far, in all rounds. */
  readonly writes: number;
  /** The newest resourceVersion anybody was told of. */
  readonly version: number;
  /** Kills so far, those during a start included. */
  readonly kills: number;
  /** Watches that went on from a version a write was answered with, at any time before. */
  readonly replays: { readonly watches: number; readonly events: number; readonly expired: number };
  /** Answered writes by what they did. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Kills a serving API server with SIGKILL again and again on the same directory, under the writes of sixteen clients,
 * and checks after every restart that what was answered is there, whole and in order: by watches that go on from the
 * last version they saw or from any that was answered before, by lists, and by new writes. Throws on the first violation.
 */
export async function runApiServerKills(options: ApiServerKillOptions): Promise<ApiServerKillRound> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kill-apiserver-'));
  const random = seededRandom(options.seed);
  const record = new ToldRecord();
  const followers = loadPaths.map((path) => new Follower(path, record));
  const replays = { watches: 0, events: 0, expired: 0 };
  let last: ApiServerKillRound = { round: 0, writes: 0, version: 0, kills: 0, replays, counts: {} };
  let kills = 0;
  try {
    for (let round = 1; round <= options.rounds; round++) {
      if (round % 4 === 0) {
        await killWhileStarting(dataDir, random.below(600));
        kills += 1;
      }
      await serveAndKill({ dataDir, random, record, followers, replays, round });
      kills += 1;
      last = { round, writes: record.writes, version: record.newest, kills, replays, counts: record.counts };
      options.onRound?.(last);
    }
    const server = await startApiServerProcess(dataDir);
    const end = { dataDir, random, record, followers, replays, round: options.rounds + 1 };
    await withServer(server, (client) => catchUp(client, end));
    return last;
  } catch (cause) {
    throw new Error(`kill run with seed ${options.seed} failed after round ${last.round}`, { cause });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Round {
  readonly dataDir: string;
  readonly random: SeededRandom;
  readonly record: ToldRecord;
  readonly followers: readonly Follower[];
  readonly replays: { watches: number; events: number; expired: number };
  readonly round: number;
}

async function serveAndKill(round: Round): Promise<void> {
  const { record, random } = round;
  const server = await startApiServerProcess(round.dataDir);
  await withServer(server, async (client) => {
    await createWidgetCrd(client);
    await admitLoadUsers(client);
    await catchUp(client, round);
    const load = new Load(client, record, random);
    const kill = Promise.withResolvers<void>();
    let left = 20 + random.below(800);
    const running = load.run(() => {
      left -= 1;
      if (left !== 0) return;
      load.end();
      server.kill().then(kill.resolve, kill.reject);
    });
    await Promise.all([running, kill.promise]);
  });
}

/** Ends the server and the watches whatever happens, so that a failed check ends the run. */
async function withServer(server: ApiServerProcess, use: (client: ApiClient) => Promise<void>): Promise<void> {
  const client = new ApiClient(server.target);
  try {
    await use(client);
  } finally {
    await server.kill().catch(() => undefined); // in most rounds it is gone already
    client.close();
  }
}

/** Lets every watch go on until it has seen a new object, then compares everything there is to compare. */
async function catchUp(client: ApiClient, round: Round): Promise<void> {
  const { record, followers } = round;
  for (const follower of followers) {
    await follower.disconnected();
    await follower.connect(client);
  }
  const marker = `marker-${round.round}`;
  for (const { path } of followers) {
    const since = record.newest;
    const reply = await client.request('POST', path, { body: markerFor(path, marker) });
    assert.equal(reply.code, 201, reply.text);
    record.wrote(JSON.parse(reply.text), reply.text.trim(), since);
  }
  await Promise.all(followers.map((follower) => follower.saw(marker)));
  record.checkAnswered();
  for (const follower of followers) await follower.check(client);
  for (const follower of followers) await replay(client, follower, round);
}

async function replay(client: ApiClient, follower: Follower, { record, random, replays }: Round): Promise<void> {
  const { events, isExpired } = await follower.replay(client, record.anyAnswered(random));
  replays.watches += 1;
  replays.events += events;
  if (isExpired) replays.expired += 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rounds = Number(process.argv[2] ?? 50);
  const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
  console.log(`${rounds} rounds, seed ${seed}`);
  const started = performance.now();
  await runApiServerKills({ rounds, seed, onRound: (round) => console.log(JSON.stringify(round)) });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`every answered write was there after every kill (${seconds} s)`);
}
