import { test } from 'node:test';
import { prove } from './prove.ts';

test('hosts are updated in use while their controllers are killed: each change is made once', async () => {
  await prove({ seed: 1, hosts: 4, each: 2, kills: 3, limit: 3, limitMs: 240_000 });
});
