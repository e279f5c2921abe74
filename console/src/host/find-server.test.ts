import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findServer } from './find-server.ts';

const { signal } = new AbortController();
const marks = { name: 'x', mac: '', serial: 'SN1', address: '' };

interface Server {
  readonly name: string;
  readonly serial?: string;
}

/** A cluster with these servers, and so many hosts called x. */
function clusterWith(t: TestContext, servers: readonly Server[], hosts = 1): string[] {
  const asked: string[] = [];
  const objects = servers.map(({ name, serial }) => ({ metadata: { name }, status: { serialNumber: serial } }));
  t.mock.method(globalThis, 'fetch', async (url: string) => {
    const { pathname, searchParams } = new URL(url, 'http://a');
    const what = pathname.split('/').slice(4).join('/');
    asked.push(what);
    if (what === 'baremetalhosts') {
      return Response.json({ items: Array.from({ length: hosts }, () => ({})), metadata: {} });
    }
    if (what === 'servers') {
      const from = Number(searchParams.get('continue') ?? 0);
      const next = from + 1 < objects.length ? { continue: String(from + 1) } : {};
      return Response.json({ items: objects.slice(from, from + 1), metadata: next });
    }
    const found = objects.find(({ metadata }) => what === `servers/${metadata.name}`);
    return found === undefined ? Response.json({ message: 'none' }, { status: 404 }) : Response.json(found);
  });
  return asked;
}

test('the server of the usual name is asked for alone where it is the machine', async (t) => {
  const asked = clusterWith(t, [{ name: 'x-system-0', serial: 'SN1' }]);
  assert.equal(await findServer(marks, signal), 'x-system-0');
  assert.deepEqual(asked, ['servers/x-system-0']);
});

test('another one is found by what it is, part by part', async (t) => {
  clusterWith(t, [
    { name: 'x-system-0', serial: 'SN9' },
    { name: 'r01-s01-system-0', serial: 'SN1' },
  ]);
  assert.equal(await findServer(marks, signal), 'r01-s01-system-0');
});

test('a server of the same name is taken where nothing speaks against it', async (t) => {
  clusterWith(t, [{ name: 'x-system-0' }]);
  assert.equal(await findServer(marks, signal), 'x-system-0');
});

test('it is not taken where it is another machine, or another host has that name', async (t) => {
  await t.test('another machine', async (inner) => {
    clusterWith(inner, [{ name: 'x-system-0', serial: 'SN9' }]);
    assert.equal(await findServer(marks, signal), undefined);
  });
  await t.test('another host', async (inner) => {
    clusterWith(inner, [{ name: 'x-system-0' }], 2);
    assert.equal(await findServer(marks, signal), undefined);
  });
});
