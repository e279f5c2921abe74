import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BareMetalHost } from '../../api/index.ts';
import type { ChangeHandler, KubeObject } from '../../kube/index.ts';
import { summaryOf, troublesOf, whenHostsRest } from './hosts-at-rest.ts';

type Host = BareMetalHost & KubeObject;

function hostAt(
  name: string,
  state: string,
  more: { readonly isWanted?: boolean; readonly errorType?: string } = {},
): Host {
  const { isWanted = false, errorType } = more;
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name, namespace: 'n' },
    spec: { online: isWanted, ...(isWanted ? { image: { url: 'http://images.example/linux.qcow2' } } : {}) },
    status: {
      operationalStatus: 'OK',
      errorMessage: '',
      poweredOn: false,
      errorCount: 0,
      provisioningFailCount: 0,
      provisioning: { state, ID: '' },
      ...(errorType === undefined ? {} : { errorType }),
    },
  } as Host;
}

function table() {
  const held = new Map<string, Host>();
  const handlers = new Set<ChangeHandler<Host>>();
  return {
    handlers,
    hosts: {
      get: (key: string) => held.get(key),
      onChange(handler: ChangeHandler<Host>) {
        handlers.add(handler);
        for (const [key, current] of held) handler(key, { previous: undefined, current });
        return () => handlers.delete(handler);
      },
    },
    put(current: Host) {
      const key = `n/${current.metadata.name}`;
      const previous = held.get(key);
      held.set(key, current);
      for (const handler of handlers) handler(key, { previous, current });
    },
  };
}

test('hosts are told of once each is where it goes by itself', async () => {
  const { hosts, handlers, put } = table();
  put(hostAt('a', 'available'));
  let line: string | undefined;
  const told = whenHostsRest({ hosts, keys: ['n/a', 'n/b', 'n/c'] }, new AbortController().signal).then((text) => {
    line = text;
  });
  put(hostAt('b', 'available', { isWanted: true }));
  put(hostAt('c', 'inspecting'));
  put(hostAt('somebody-elses', 'available'));
  put(hostAt('c', 'inspecting', { errorType: 'inspection error' }));
  await Promise.resolve();
  assert.equal(line, undefined, 'b is on its way to be provisioned');
  put(hostAt('b', 'provisioned', { isWanted: true }));
  await told;
  assert.equal(line, '1 available, 1 provisioned, 1 with an error');
  assert.equal(handlers.size, 0);
});

test('nothing is told of when it is to end before', async () => {
  const { hosts, handlers } = table();
  const ending = new AbortController();
  const told = whenHostsRest({ hosts, keys: ['n/a'] }, ending.signal);
  ending.abort();
  assert.equal(await told, undefined);
  assert.equal(handlers.size, 0);
});

test('hosts that are gone or on their way are said to be', () => {
  assert.equal(summaryOf([undefined, hostAt('a', 'preparing')]), '1 gone, 1 on their way');
});

test('of hosts in trouble it is told what is wrong, and of many only how many more there are', () => {
  const { hosts, put } = table();
  put(hostAt('a', 'available'));
  const names = Array.from({ length: 12 }, (_, at) => `b${at}`);
  for (const name of names) put(hostAt(name, 'registering', { errorType: 'registration error' }));
  const keys = ['n/a', ...names.map((name) => `n/${name}`), 'n/gone'];
  const told = troublesOf({ hosts, keys });
  assert.equal(told[0], '  n/b0: registration error: It gave no reason.');
  assert.equal(told.length, 11);
  assert.match(told.at(-1) ?? '', /^ {2}and 2 more: /);
  assert.deepEqual(troublesOf({ hosts, keys: ['n/a'] }), []);
});
