import { test } from 'node:test';
import { proveKills } from './kill-proof.ts';

const long = {
  seed: Math.floor(Date.now() / 86_400_000),
  kills: 100,
  installs: 160,
  open: 70,
  everyMs: 6000,
  mostMs: 90_000,
} as const;

test('SQLite, default settings: 100 kills of workers over HTTP at random, each resumed within 90 s, nothing flashed twice', async () => {
  await proveKills('worker API', { ...long, processes: 14, concurrency: 8 });
});

test('PostgreSQL and NATS, default settings: 100 kills of workers at random, each resumed within 90 s, nothing flashed twice', async () => {
  await proveKills('shared', { ...long, processes: 14, concurrency: 8, isShared: true });
});
