import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discoveredFirmware, serverFirmware, serverFirmwareGroup } from '../../api/index.ts';
import type { Alias } from '../../engine/index.ts';
import { createFakeClock, type KubeClient } from '../../kube/index.ts';
import { createKubeFirmware, createKubeNames } from './kube-names.ts';

const a = '11111111-1111-4111-8111-111111111111';
const b = '22222222-2222-4222-8222-222222222222';

function rig() {
  const servers = [{ metadata: { name: 'first' }, spec: { systemUUID: a } }];
  let lists = 0;
  let held: Promise<{ items: readonly object[] }> | undefined;
  /** Lets the next list wait for what it is told to answer. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<{ items: readonly object[] }>();
    held = promise;
    return (items: readonly object[]) => resolve({ items });
  };
  const client = {
    resource: () => ({
      async list() {
        lists += 1;
        const answer = held ?? { items: [...servers] };
        held = undefined;
        return answer;
      },
    }),
  } as unknown as KubeClient;
  const aliases: Record<string, Alias[]> = {};
  const machines = { aliasesOf: async (id: string) => aliases[id] ?? [] };
  const clock = createFakeClock();
  return { servers, aliases, clock, hold, names: createKubeNames({ client, clock, machines }), lists: () => lists };
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

test('whoever must not miss a Server finds one that came after the last list, and lists no more often than it asks', async () => {
  const { names, servers, lists } = rig();
  assert.equal(await names.serverOf(b), undefined);
  servers.push({ metadata: { name: 'second' }, spec: { systemUUID: b } });
  assert.equal(await names.serverOf(b, { isListedAnew: true }), 'second');
  assert.equal(await names.serverOf(b, { isListedAnew: true }), 'second');
  assert.equal(lists(), 2, 'a Server that a list showed needs no other');
});

test('a list that was under way when it was asked is not taken for a new one', async () => {
  const { names, servers, clock, hold, lists } = rig();
  const answer = hold();
  const first = names.serverOf(b);
  await clock.advance(1);
  const second = names.serverOf(b, { isListedAnew: true });
  servers.push({ metadata: { name: 'second' }, spec: { systemUUID: b } });
  answer([]);
  assert.equal(await first, undefined);
  assert.equal(await second, 'second');
  assert.equal(lists(), 2);
});

/** An API whose lists come in pages; a list of pages that are missing fails. */
function paged(pages: Readonly<Record<string, readonly (readonly object[])[]>>): KubeClient {
  return {
    resource: ({ resource }: { resource: string }) => ({
      list: async () => ({ items: (pages[resource] ?? []).flat() }),
      async *pages() {
        const found = pages[resource];
        if (found === undefined) throw new Error(`${resource} cannot be listed`);
        for (const items of found) yield { items };
      },
    }),
  } as unknown as KubeClient;
}

test('catalogues are searched by the models and the Lenovo machine types of the servers that a model names', async () => {
  const server = (manufacturer: string, model: string, sku?: string) => ({ status: { manufacturer, model, sku } });
  const lenovo = [
    [server('Lenovo', 'ThinkSystem SR650', '7X06CTO1WW'), server('LENOVO', 'thinksystem sr650 ', '7x05a01bcd'), {}],
    [server('Lenovo', 'ThinkSystem SR650', '7X06XYZ1WW'), server('Lenovo', 'ThinkSystem SR650', 'none at all')],
    [server('Lenovo', 'ThinkSystem SR630', '7X02CTO1WW'), server('Dell Inc.', 'ThinkSystem SR650', '7X09CTO1WW')],
    [server('HPE', 'ProLiant DL360 Gen10', '868703-B21')],
  ];
  const spec = { manufacturer: 'Lenovo', model: 'ThinkSystem SR650', versionsToStore: 2 };
  const ask = (changes: Partial<typeof spec>) => {
    const get = async () => ({ spec: { ...spec, ...changes } });
    const { resource } = paged({ servers: lenovo });
    const client = { resource: (of: never) => ({ ...resource(of), get }) } as unknown as KubeClient;
    return createKubeNames({ client, clock: createFakeClock() }).discoveredFirmware('x');
  };
  const otherModels = async (changes: Partial<typeof spec>) => (await ask(changes))?.otherModels;
  assert.deepEqual(await ask({}), { ...spec, otherModels: ['7X05', '7X06'] });
  assert.deepEqual(await otherModels({ model: '7x05' }), ['thinksystem sr650']);
  assert.deepEqual(await otherModels({ model: '7X06CTO1WW' }), ['7X06', 'ThinkSystem SR650']);
  assert.deepEqual(await otherModels({ manufacturer: 'HPE', model: '868703-b21' }), ['ProLiant DL360 Gen10']);
  assert.deepEqual(await otherModels({ manufacturer: 'HPE' }), []);
});

const nic = { name: 'nic', manufacturer: 'Intel', version: '2.0' };
const ssd = { name: 'ssd', manufacturer: 'ACME Corp.', version: '1.0' };

test('what servers and groups want is told once, whoever wants it and on whichever page', async () => {
  const server = (version: string, firmwares: readonly object[]) => ({ spec: { bios: { version }, firmwares } });
  const client = paged({
    [serverFirmware.plural]: [
      [server('1.1', [nic]), server('1.1', [nic]), { spec: {} }],
      [server('1.2', [nic, { ...nic, version: '3.0' }])],
    ],
    [serverFirmwareGroup.plural]: [[{ spec: { manufacturer: 'Dell', firmwares: [ssd, nic] } }], [{ spec: {} }]],
  });
  const bios = { name: 'bios', manufacturer: '' };
  assert.deepEqual(await createKubeFirmware(client).wanted(), [
    ssd,
    nic,
    { ...bios, version: '1.1' },
    { ...bios, version: '1.2' },
    { ...nic, version: '3.0' },
  ]);
});

test('what servers or groups want is not told in part', async () => {
  for (const { plural } of [serverFirmware, serverFirmwareGroup]) {
    const client = paged({ [plural]: [[{ spec: { firmwares: [nic] } }]] });
    await assert.rejects(createKubeFirmware(client).wanted(), /cannot be listed/);
  }
});

test('what can be had is told as the objects list it', async () => {
  const spec = { manufacturer: 'Dell Inc.', model: 'R640', versionsToStore: 2 };
  const status = {
    bios: { versions: ['1', '2'] },
    firmwares: [{ name: 'nic', manufacturer: 'Intel', version: ['3'] }],
  };
  const client = paged({ [discoveredFirmware.plural]: [[{ metadata: { name: 'r640' }, spec, status }]] });
  const available = [
    { name: 'bios', manufacturer: 'Dell Inc.', versions: ['1', '2'] },
    { name: 'nic', manufacturer: 'Intel', versions: ['3'] },
  ];
  assert.deepEqual(await createKubeFirmware(client).available(), [{ name: 'r640', ...spec, available }]);
});
