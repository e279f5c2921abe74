import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BareMetalHost } from '../../api/index.ts';
import { createFakeClock, type KubeObject } from '../../kube/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import type { HostTurn, MachineClaims } from '../ports.ts';
import { createScriptedProvisioners } from '../testing/scripted-provisioners.ts';
import { statusIn } from '../testing/settled-status.ts';
import { createWayMaker, type WayMakerParts } from './make-way.ts';

const h1 = { namespace: 'fleet', name: 'h1' };

function hostNamed(name: string): BareMetalHost & KubeObject {
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { namespace: 'fleet', name },
    spec: { online: true, bmc: { address: 'redfish://10.0.0.7/redfish/v1/Systems/1', credentialsName: 'bmc' } },
    status: statusIn('available'),
  };
}

/** Turns that are told until they are done, and what became of them. */
class PlayedClaims implements MachineClaims {
  due: HostTurn[] = [];
  readonly done_: HostTurn[] = [];
  /** Hosts whose machine others have. */
  readonly others = new Set<string>();
  /** Those of them that have made way. */
  away: (typeof h1)[] = [];
  #listeners = new Set<() => void>();
  #watchers: (() => void)[] = [];
  #looks = 0;

  async claim(): Promise<void> {}
  async unclaim(): Promise<void> {}
  async owners(): Promise<readonly []> {
    return [];
  }
  async turns(): Promise<readonly HostTurn[]> {
    this.#looks += 1;
    for (const watcher of this.#watchers.splice(0)) watcher();
    return [...this.due];
  }
  async done(turn: HostTurn): Promise<void> {
    this.due = this.due.filter((one) => one !== turn);
    this.done_.push(turn);
  }
  async isOurs({ name }: { readonly name: string }): Promise<boolean> {
    return !this.others.has(name);
  }
  async waiting(): Promise<readonly (typeof h1)[]> {
    return this.away;
  }
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  call(): void {
    for (const listener of this.#listeners) listener();
  }
  get listeners(): number {
    return this.#listeners.size;
  }
  /** Resolves after one more look for turns. */
  async looked(): Promise<void> {
    const before = this.#looks;
    while (this.#looks === before) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }
}

function setUp(t: TestContext, hosts: readonly (BareMetalHost & KubeObject)[] = [hostNamed('h1')]) {
  const claims = new PlayedClaims();
  const provisioners = createScriptedProvisioners();
  const clock = createFakeClock();
  const woken: string[] = [];
  const parts = {
    ...{ claims, provisioners, clock, logger: silentLogger },
    newest: {
      hosts: { get: (key: string) => hosts.find(({ metadata }) => `fleet/${metadata.name}` === key) },
      secrets: { get: () => undefined },
    },
    informers: { hosts: { list: () => [...hosts] } },
    wake: (key: string) => void woken.push(key),
  } as unknown as WayMakerParts;
  const told = (host = 'h1') =>
    provisioners.calls
      .filter((call) => call.method === 'setMaintenance' && call.host === host)
      .map(({ order }) => order);
  const maker = createWayMaker(parts);
  t.after(() => maker.stop());
  /** Moves time on until it is so. */
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isSo() && clock.pending > 0) clock.advanceToNext();
    }
  };
  return { claims, provisioners, clock, woken, told, maker, until };
}

test('a host makes way by maintenance with our reason, and takes its machine back by ending it', async (t) => {
  const { claims, told, woken, maker, until } = setUp(t, [{ ...hostNamed('h1'), status: undefined } as never]);
  const turns: HostTurn[] = [
    { host: h1, kind: 'make-way' },
    { host: h1, kind: 'take-back' },
  ];
  maker.start();
  for (const turn of turns) {
    claims.due = [turn];
    claims.call();
    await until(() => claims.done_.includes(turn));
  }
  await until(() => woken.length > 1);
  assert.equal(told().length, 2);
  assert.match(String(told()[0]), /worked on past its provisioner/);
  assert.equal(told()[1], undefined);
  assert.deepEqual(woken, ['fleet/h1', 'fleet/h1']);
});

test('who looked in vain looks again, and sooner when called', async (t) => {
  const { claims, clock, maker } = setUp(t, []);
  maker.start();
  await clock.untilPending();
  assert.equal(clock.nextInMs(), 5000);
  claims.call();
  await clock.untilPending();
  assert.equal(clock.nextInMs(), 50);
  const looked = claims.looked();
  clock.advanceToNext();
  await looked;
  await maker.stop();
  assert.deepEqual([claims.listeners, clock.pending], [0, 0]);
});

test('a provisioner that cannot be asked is asked again, and nothing is done before', async (t) => {
  const { claims, provisioners, clock, told, maker, until } = setUp(t, [
    { ...hostNamed('h1'), status: undefined } as never,
  ]);
  provisioners.answer('setMaintenance', { kind: 'unavailable', message: 'away', afterMs: 60_000 });
  claims.due = [{ host: h1, kind: 'make-way' }];
  maker.start();
  await until(() => told().length === 1);
  const refusedAt = clock.monotonic();
  assert.deepEqual(claims.done_, []);
  await until(() => claims.done_.length === 1);
  assert.ok(clock.monotonic() - refusedAt >= 60_000);
  assert.equal(told().length, 2);
});

test("a host that its provisioner does not know, or that is gone, is in nobody's way", async (t) => {
  const { claims, provisioners, told, maker, until } = setUp(t, [{ ...hostNamed('h1'), status: undefined } as never]);
  provisioners.answer('setMaintenance', { kind: 'unregistered' });
  claims.due = [
    { host: h1, kind: 'make-way' },
    { host: { namespace: 'fleet', name: 'gone' }, kind: 'make-way' },
  ];
  maker.start();
  await until(() => claims.done_.length === 2);
  assert.deepEqual([told().length, told('gone').length], [1, 0]);
});

test('maintenance that was left without work is ended at the start; where work goes on it is not', async (t) => {
  const { claims, told, maker, until } = setUp(t, [
    hostNamed('h1'),
    hostNamed('h2'),
    { ...hostNamed('h3'), metadata: { ...hostNamed('h3').metadata, deletionTimestamp: '2025-01-01T00:00:00Z' } },
  ]);
  claims.others.add('h2');
  maker.start();
  await until(() => told().length > 0);
  await maker.stop();
  assert.deepEqual([told('h1'), told('h2'), told('h3')], [[undefined], [], []]);
});

test('a host that becomes known while others work on its machine is put into maintenance, and stays in it', async (t) => {
  const { claims, provisioners, clock, told, maker, until } = setUp(t);
  provisioners.answer('setMaintenance', { kind: 'unregistered' }, { kind: 'unregistered' });
  claims.others.add('h1');
  claims.away = [h1];
  maker.start();
  await until(() => told().length === 3);
  const doneAt = clock.monotonic();
  // An operator may have ended maintenance that was there before: then ours begins.
  await until(() => told().length === 4);
  assert.ok(clock.monotonic() - doneAt >= 30_000);
  assert.deepEqual([...new Set(told())], ['the machine is worked on past its provisioner']);
});

test('a host that took its machine back meanwhile is left alone, and one that is kept does not hold up others', async (t) => {
  const h2 = { namespace: 'fleet', name: 'h2' };
  const { claims, provisioners, told, maker, until } = setUp(t, [
    { ...hostNamed('h1'), status: undefined } as never,
    { ...hostNamed('h2'), status: undefined } as never,
  ]);
  provisioners.answer('setMaintenance', { kind: 'unavailable', message: 'away', afterMs: 60_000 });
  claims.others.add('h2');
  claims.away = [h1, h2];
  maker.start();
  await until(() => told('h2').length === 2);
  assert.deepEqual(told('h1'), []);
});
