import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { clusterAnnotations } from '../../api/index.ts';
import { consumerKey, nameOf, objectKey } from '../references.ts';
import { aMachine, readerOf } from '../testing/objects.ts';
import { type StoredHost as Host, type StoredMachine as Metal3, Store } from '../testing/versioned-store.ts';
import { decideMetal3Machine } from './decide-machine.ts';
import { readMachineSeen } from './read-machine.ts';
import { claimHost, type HostDesk, noteHost } from './take-host.ts';

const paused = 'baremetalhost.metal3.io/paused';

/** A process whose caches are behind, and whose requests take as long, as chance wants. */
class Actor {
  readonly #store: Store;
  readonly #seen = new Map<string, number>();
  #waiting: (() => void) | undefined;
  #working: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  catchUp(name: string): void {
    const last = this.#store.versionsOf(name).length - 1;
    this.#seen.set(name, Math.min(last, (this.#seen.get(name) ?? 0) + 1));
  }

  /** Lets the request that is under way reach the server; true when there was one. */
  async act(): Promise<boolean> {
    const go = this.#waiting;
    this.#waiting = undefined;
    go?.();
    // What follows from the answer happens before anything else does.
    await new Promise((resolve) => setImmediate(resolve));
    return go !== undefined;
  }

  /** Begins a look, unless one is under way. */
  async look(name: string): Promise<void> {
    if (this.#working !== undefined) return;
    this.#working = this.#work(name).finally(() => {
      this.#working = undefined;
    });
    await new Promise((resolve) => setImmediate(resolve));
  }

  async end(): Promise<void> {
    while (await this.act());
    await this.#working;
  }

  async #work(name: string): Promise<void> {
    const known = [...this.#store.objects.keys()].map((each) => this.#view(each));
    const metal3Machines = known.filter((each) => each.kind === 'Metal3Machine') as Metal3[];
    const hosts = known.filter((each) => each.kind === 'BareMetalHost') as Host[];
    const machines = metal3Machines.map((each) => aMachine(nameOf(each)));
    const object = metal3Machines.find((each) => nameOf(each) === name);
    assert.ok(object !== undefined);
    const seen = await readMachineSeen(readerOf({ metal3Machines, hosts, machines }), objectKey(object));
    assert.ok(seen !== undefined);
    try {
      for (const effect of decideMetal3Machine(seen, 0).effects) {
        if (effect.kind === 'choose') await noteHost(this.#desk(), object, effect);
        else if (effect.kind === 'claim-host') await claimHost(this.#desk(), object, effect);
        else if (effect.kind === 'write-host') await this.#desk().patchHost({ name: effect.host }, effect.patch);
      }
    } catch (error) {
      if (!(error instanceof Error) || !/has changed/.test(error.message)) throw error;
    }
  }

  #view(name: string): Host | Metal3 {
    const found = this.#store.versionsOf(name)[this.#seen.get(name) ?? 0];
    assert.ok(found !== undefined);
    return found;
  }

  #desk(): HostDesk {
    const sent = () =>
      new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    const read = async ({ name }: { readonly name: string }) => {
      await sent();
      return this.#store.newest(name);
    };
    const patch = async ({ name }: { readonly name: string }, body: object) => {
      await sent();
      this.#store.patch(name, body);
    };
    return {
      machine: (key) => read(key) as Promise<Metal3 | undefined>,
      host: (key) => read(key) as Promise<Host | undefined>,
      patchMachine: patch,
      patchHost: patch,
    };
  }
}

const stepOf = (kind: 'look' | 'act' | 'catch-up' | 'pause') =>
  fc.record({ kind: fc.constant(kind), actor: fc.nat(1), what: fc.nat(5) });
const step = fc.oneof(
  { weight: 3, arbitrary: stepOf('look') },
  { weight: 6, arbitrary: stepOf('act') },
  { weight: 5, arbitrary: stepOf('catch-up') },
  { weight: 1, arbitrary: stepOf('pause') },
);

test('however late caches and requests of two processes are, no host ever has two machines and no machine two hosts', async () => {
  let taken = 0;
  let givenUp = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 2 }),
      fc.array(step, { minLength: 50, maxLength: 200 }),
      async (hosts, machines, steps) => {
        const store = new Store({ hosts, machines });
        const actors = [new Actor(store), new Actor(store)];
        const names = [...store.objects.keys()];
        for (const { kind, actor, what } of steps) {
          const process = actors[actor];
          if (kind === 'pause') togglePause(store, `h${what % hosts}`);
          else if (kind === 'catch-up') process?.catchUp(names[what % names.length] ?? '');
          else if (kind === 'look') await process?.look(`m${what % machines}`);
          else await process?.act();
          taken += check(store);
        }
        for (const process of actors) await process.end();
        check(store);
        givenUp += names.filter((name) => new Set(store.versionsOf(name).map(noted)).size > 2).length;
      },
    ),
    { numRuns: 1000 },
  );
  assert.ok(taken > 0, 'no host was ever taken');
  assert.ok(givenUp > 0, 'no machine ever gave a host up for another');
});

function noted({ metadata }: Host | Metal3): string {
  return metadata.annotations?.[clusterAnnotations.bareMetalHost] ?? '';
}

/** Somebody pauses a host, or ends that: who sees it paused wants another one. */
function togglePause(store: Store, name: string): void {
  const isPaused = store.newest(name)?.metadata.annotations?.[paused] !== undefined;
  store.patch(name, { metadata: { annotations: { [paused]: isPaused ? null : '' } } });
}

/** How many hosts are taken. */
function check(store: Store): number {
  const holders: string[] = [];
  for (const [name, versions] of store.objects) {
    if (!name.startsWith('h')) continue;
    const history = (versions as Host[]).map(consumerKey);
    const first = history.find((each) => each !== undefined);
    // Nobody gives a host back here, so its first holder is its only one.
    assert.ok(
      history.every((each) => each === undefined || each === first),
      `a host changed hands: ${history.join(', ')}`,
    );
    if (first !== undefined) holders.push(first);
  }
  assert.equal(new Set(holders).size, holders.length, `a machine has two hosts: ${holders.join(', ')}`);
  return holders.length;
}
