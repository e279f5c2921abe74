import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { cleanSettings, planPort } from '../../switches/index.ts';
import { vlan } from '../testing/port-seen.ts';
import { type CallScript, PortWalk, settleMs } from '../testing/port-walk.ts';

/** What may happen to a port. */
type Event =
  | { readonly kind: 'link'; readonly vlan: number | undefined }
  | { readonly kind: 'drift'; readonly vlan: number }
  /** How the next calls to the device go. */
  | { readonly kind: 'script'; readonly calls: readonly CallScript[] }
  /** Another device takes its place. */
  | { readonly kind: 'replace' }
  /** A host wants the port clean, or no longer says anything about it. */
  | { readonly kind: 'request-clean'; readonly isRequested: boolean }
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait'; readonly ms: number };

const someVlan = fc.integer({ min: 1, max: 4 });
const someMs = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 2 * settleMs }));
const callScript: fc.Arbitrary<CallScript> = fc.record({
  result: fc.constantFrom(
    ...(['done', 'done', 'done', 'refused', 'denied', 'unreachable', 'uncertain', 'uncertain', 'mismatch'] as const),
  ),
  endsAfterMs: someMs,
  landsAfterMs: fc.option(someMs, { nil: undefined, freq: 6 }),
});
const happening: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      vlan: fc.option(someVlan, { nil: undefined, freq: 2 }),
    }),
  },
  fc.record({ kind: fc.constant('drift' as const), vlan: someVlan }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('script' as const),
      calls: fc.array(callScript, { minLength: 1, maxLength: 6 }),
    }),
  },
  fc.constant({ kind: 'replace' as const }),
  fc.record({ kind: fc.constant('request-clean' as const), isRequested: fc.boolean() }),
  { weight: 2, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: someMs }) },
);

async function take(walk: PortWalk, event: Event): Promise<void> {
  switch (event.kind) {
    case 'link':
      walk.link = event.vlan;
      break;
    case 'drift':
      walk.drift(vlan(event.vlan));
      break;
    case 'script':
      walk.script(event.calls);
      break;
    case 'replace':
      walk.replace();
      break;
    case 'request-clean':
      walk.isCleanRequested = event.isRequested;
      break;
    case 'restart':
      walk.restart();
      break;
    case 'wait':
      await walk.wait(event.ms);
  }
  await walk.reconcile();
}

test('a port never claims what a late change takes back, and ends as it should when nothing happens any more', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.option(someVlan, { nil: undefined }),
      fc.boolean(),
      fc.array(happening, { maxLength: 40, size: 'max' }),
      async (start, isBlind, events) => {
        const walk = new PortWalk(start === undefined ? cleanSettings() : vlan(start), { isBlind });
        for (const event of events) await take(walk, event);
        await walk.settle();
        const state = { ...walk.device, port: 'Ethernet1', unread: [], strays: [] };
        assert.equal(walk.status?.error, undefined);
        if (walk.link !== undefined) {
          assert.equal(walk.status?.state, 'Active');
          assert.deepEqual(planPort(state, vlan(walk.link)).differences, []);
        } else {
          assert.equal(walk.status?.state, 'Idle');
          assert.equal(walk.status?.configuration, undefined);
          if (walk.wasSet || walk.isCleanRequested) assert.deepEqual(planPort(state, cleanSettings()).differences, []);
        }
        const isNamed = events.some(({ kind }) => kind === 'link' || kind === 'request-clean');
        if (!isNamed) assert.equal(walk.writes, 0);
      },
    ),
    { numRuns: 1000 },
  );
});
