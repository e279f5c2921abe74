import { test } from 'node:test';
import { proveKills } from './kill-proof.ts';

/** Without those whose hosts sit out a self-test of minutes in real time, which the long form has. */
const personalities = ['dell-idrac9', 'hpe-ilo5', 'hpe-ilo6', 'lenovo-xcc', 'openbmc'] as const;
/** Workers and the engine run in real time, with the limit of the long form: only what BMCs and hosts need is a tenth. */
const limit = { mostMs: 90_000 } as const;
const short = { personalities, seed: 16, kills: 3, installs: 5, open: 5, everyMs: 4000, ...limit } as const;

test('SQLite, default settings: installs whose worker over HTTP is killed go on within 90 s, each image flashed once', async () => {
  await proveKills('worker API', { ...short, processes: 4, concurrency: 6, simulatorSpeed: 10 });
});
