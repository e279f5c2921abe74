import { test } from 'node:test';
import { proveShared } from './proof.ts';

test('PostgreSQL and NATS: all work finishes while NATS is away, and while hints are lost, doubled and late (security.md: attacker-with-nats)', async () => {
  const options = { seed: 14, installs: 20, processes: 10, concurrency: 2, isBusUnreliable: true, outageMs: 15_000 };
  await proveShared('outage', options, { isLong: false });
});
