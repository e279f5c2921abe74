import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { ClaimActor, type ClaimTimes, ClaimWorld, claimedHost } from '../testing/claim-world.ts';

const times: ClaimTimes = { createWithinMs: 5, requestMs: 20, retakeMs: 26 };

const kinds = {
  look: 8,
  act: 14,
  claims: 6,
  hosts: 4,
  crash: 3,
  lost: 4,
  release: 2,
  wait: 3,
  retake: 2,
  delete: 1,
  squat: 1,
} as const;

type Kind = keyof typeof kinds;

const step = fc.record({
  kind: fc.oneof(...Object.entries(kinds).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) }))),
  actor: fc.nat(2),
  what: fc.nat(7),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const names = ['n1', 'n2', 'n3'] as const;

async function take(world: ClaimWorld, actors: readonly ClaimActor[], { kind, actor, what }: Step): Promise<void> {
  const process = actors[actor % actors.length] as ClaimActor;
  if (kind === 'look') await process.look();
  else if (kind === 'act') await process.act({ isPrompt: what % 2 === 0 });
  else if (kind === 'claims') process.catchUpClaims();
  else if (kind === 'hosts') process.catchUpHosts();
  else if (kind === 'crash') await process.crash();
  else if (kind === 'release') await process.release();
  else if (kind === 'wait') world.nowMs += what * 3;
  else if (kind === 'retake') world.nowMs += times.retakeMs;
  else if (kind === 'delete') world.deleteHost([...world.newest.hosts.keys()][0] ?? '');
  else if (kind === 'squat') world.squat(names[what % names.length] ?? '');
  else {
    const request = world.lost.shift();
    if (request !== undefined && world.nowMs <= request.deadline) request.land();
  }
}

/** Until nothing changes any more; the machine has a host then, unless all its names are taken. */
async function finish(world: ClaimWorld, actors: readonly ClaimActor[]): Promise<void> {
  world.lost.splice(0);
  for (const process of actors) while (await process.act());
  for (let round = 0; round < 4; round++) {
    world.nowMs += times.retakeMs;
    for (const process of actors) {
      await process.catchUp();
      await process.look();
      while (await process.act());
    }
  }
}

test('however late and in whatever order requests of processes arrive that die in between, a machine never has two hosts', async () => {
  const seen = { created: 0, renamed: 0, crashed: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 2, max: 3 }),
      fc.array(step, { minLength: 40, maxLength: 160 }),
      async (differing, processes, steps) => {
        const world = new ClaimWorld(times);
        const actors = Array.from(
          { length: processes },
          (_, index) => new ClaimActor(world, names[index % differing] ?? ''),
        );
        const claimed = new Set<string | undefined>();
        for (const each of steps) {
          await take(world, actors, each);
          assert.ok(world.hostsOfMachine().length <= 1, `two hosts: ${[...world.newest.hosts.keys()].join(', ')}`);
          claimed.add(claimedHost(world));
        }
        await finish(world, actors);
        const isCrowded = names
          .slice(0, Math.min(differing, processes))
          .every((name) => world.newest.hosts.has(`fleet/${name}`));
        const made = world.hostsOfMachine().length;
        assert.ok(
          made === 1 || (made === 0 && isCrowded),
          `${made} hosts: ${[...world.newest.hosts.keys()].join(', ')}`,
        );
        seen.created += made;
        seen.renamed += claimed.size > 2 ? 1 : 0;
        seen.crashed += steps.some(({ kind }) => kind === 'crash') ? 1 : 0;
      },
    ),
    { numRuns: 600 },
  );
  assert.ok(seen.created > 0 && seen.renamed > 0 && seen.crashed > 0, JSON.stringify(seen));
});

test('whoever finds a claim without a host goes on with it, and under its own name once the claim has been quiet', async () => {
  for (const [name, waits] of [
    ['n1', 0],
    ['n2', 1],
  ] as const) {
    const world = new ClaimWorld(times);
    const first = new ClaimActor(world, 'n1');
    await first.look();
    await first.act();
    assert.equal(claimedHost(world), 'fleet/n1');
    await first.crash();
    world.lost.splice(0);
    const next = new ClaimActor(world, name);
    await next.catchUp();
    await next.look();
    while (await next.act());
    assert.equal(world.hostsOfMachine().length, 1 - waits);
    world.nowMs += times.retakeMs;
    await next.look();
    while (await next.act());
    assert.deepEqual(
      world.hostsOfMachine().map(({ metadata }) => metadata.name),
      [name],
    );
  }
});

test('whoever hears late that the claim is its own begins anew: others may have taken it by then', async () => {
  const world = new ClaimWorld(times);
  const slow = new ClaimActor(world, 'n1');
  await slow.look();
  await slow.act({ isPrompt: false });
  world.nowMs += times.createWithinMs + 1;
  await slow.act();
  assert.equal(await slow.act(), false, 'a request was sent');
  await slow.catchUp();
  await slow.look();
  while (await slow.act());
  assert.equal(world.hostsOfMachine().length, 1);
});
