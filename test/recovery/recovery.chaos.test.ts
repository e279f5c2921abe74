import { test } from 'node:test';
import { prove, proveShared } from './proof.ts';

const long = { isLong: true };
const strayEveryMs = 8000;
/** Another one each day, and the same one all day, so that a run that fails can be repeated. */
const seed = Math.floor(Date.now() / 86_400_000);

test('SQLite: 160 installs in whole services that are killed or stopped at every step', async () => {
  const options = { seed, installs: 160, shape: 'embedded', processes: 24, concurrency: 2, strayEveryMs } as const;
  await prove('embedded', options, long);
});

test('SQLite: 160 installs by workers over HTTP that are killed or stopped at every step', async () => {
  const options = { seed, installs: 160, shape: 'worker-api', processes: 24, concurrency: 2, strayEveryMs } as const;
  await prove('worker API', options, long);
});

test('PostgreSQL and NATS: 300 installs by workers that are killed or stopped at every step', async () => {
  await proveShared('shared', { seed, installs: 300, processes: 30, concurrency: 2, strayEveryMs }, long);
});

test('PostgreSQL and NATS: 60 installs while NATS is away for a minute, and hints are lost, doubled and late', async () => {
  const options = { seed, installs: 60, processes: 20, concurrency: 2, isBusUnreliable: true, outageMs: 60_000 };
  await proveShared('outage', options, { isLong: false });
});
