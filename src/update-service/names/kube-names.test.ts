import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alias } from '../../engine/index.ts';
import { createFakeClock, type KubeClient } from '../../kube/index.ts';
import { createKubeNames } from './kube-names.ts';

const a = '11111111-1111-4111-8111-111111111111';
const b = '22222222-2222-4222-8222-222222222222';

function rig() {
  const servers = [{ metadata: { name: 'first' }, spec: { systemUUID: a } }];
  let lists = 0;
  const client = {
    resource: () => ({
      async list() {
        lists += 1;
        return { items: [...servers] };
      },
    }),
  } as unknown as KubeClient;
  const aliases: Record<string, Alias[]> = {};
  const machines = { aliasesOf: async (id: string) => aliases[id] ?? [] };
  const clock = createFakeClock();
  return { servers, aliases, clock, names: createKubeNames({ client, clock, machines }), lists: () => lists };
}

test('a machine that onboarding named is found at once, though the list is older', async () => {
  const { names, aliases, lists } = rig();
  assert.equal(await names.serverOf(a.toUpperCase()), 'first');
  aliases[b] = [
    { kind: 'serial', value: 'S1' },
    { kind: 'server', value: 'second' },
  ];
  assert.equal(await names.serverOf(b), 'second');
  assert.equal(lists(), 1);
});

test('a machine whose Server was made anew under another name is found by the one that is there', async () => {
  const { names, aliases, servers, clock } = rig();
  assert.equal(await names.serverOf(a), 'first');
  servers[0] = { metadata: { name: 'later' }, spec: { systemUUID: a } };
  aliases[a] = [
    { kind: 'server', value: 'first' },
    { kind: 'server', value: 'later' },
  ];
  await clock.advance(10_001);
  assert.equal(await names.serverOf(a), 'later');
});

test('others are found in a list that is asked for again when it is old', async () => {
  const { names, servers, clock, lists } = rig();
  assert.equal(await names.serverOf(b), undefined);
  servers.push({ metadata: { name: 'second' }, spec: { systemUUID: b } });
  assert.equal(await names.serverOf(b), undefined);
  assert.equal(lists(), 1);
  await clock.advance(10_001);
  assert.equal(await names.serverOf(b), 'second');
  assert.equal(lists(), 2);
});
