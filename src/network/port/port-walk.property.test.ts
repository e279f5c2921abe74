import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { SwitchPortStatus } from '../../api/index.ts';
import { cleanSettings, type PortSettings, planPort, portAspects, type SwitchFailure } from '../../switches/index.ts';
import type { PortCall } from '../devices/lane.ts';
import { memoryAfter } from '../devices/port-book.ts';
import { noon, portSeen, vlan } from '../testing/port-seen.ts';
import { decidePort, type PortEffect } from './decide-port.ts';
import type { PortMemory } from './port-seen.ts';

/** How a call may fail: a change that is lost was not made, an uncertain one was, and nobody knows of either. */
type Failing = 'refused' | 'unreachable' | 'uncertain' | 'lost';

/** What may happen to a port. */
type Happening =
  | { readonly kind: 'link'; readonly vlan: number | undefined }
  | { readonly kind: 'drift'; readonly vlan: number }
  | { readonly kind: 'fail'; readonly how: Failing; readonly times: number }
  /** Another device takes its place. */
  | { readonly kind: 'replace' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'wait' };

/** A port, its device, and a clock, without anything around them. */
class Walk {
  status: SwitchPortStatus | undefined = undefined;
  link: number | undefined = undefined;
  device: PortSettings;
  memory: PortMemory = {};
  failing: Failing | undefined = undefined;
  now = noon;
  writes = 0;
  isHeld = false;
  units = 1;
  readonly #written = new Set<number>();
  readonly #start: PortSettings;
  /** The device tells nothing of its ports. */
  readonly #isBlind: boolean;

  constructor(start: PortSettings, { isBlind }: { readonly isBlind: boolean }) {
    this.device = start;
    this.#start = start;
    this.#isBlind = isBlind;
  }

  happen(what: Happening): void {
    if (what.kind === 'link') this.link = what.vlan;
    else if (what.kind === 'replace') {
      this.device = this.#start;
      this.units += 1;
    } else if (what.kind === 'drift') {
      // Nobody can see that where nothing is told.
      if (this.#isBlind) return;
      this.device = vlan(what.vlan);
      if (this.memory.reading !== undefined)
        this.memory = { ...this.memory, reading: { ...this.memory.reading, isStale: true } };
    } else if (what.kind === 'fail') this.#fail(what);
    else if (what.kind === 'restart') this.memory = {};
    else this.now += 60_000;
    this.look();
  }

  /** Every change for a while, or one call. */
  #fail({ how, times }: { readonly how: Failing; readonly times: number }): void {
    for (let time = 0; time < times; time++) {
      this.failing = how;
      this.now += 120_000;
      this.look();
      this.look();
    }
  }

  get unit(): string {
    return `unit-${this.units}`;
  }

  /** One look of the controller; true when something was done. */
  look(): boolean {
    const configuration = this.link === undefined ? undefined : { untaggedVLAN: this.link };
    const finalizers = this.isHeld ? ['rackwright.io/network'] : [];
    const standing = { kind: 'ready', access: this.unit, unit: this.unit, since: 0 } as const;
    const draft = { configuration, memory: this.memory, finalizers, seen: { standing } };
    const seen = portSeen(this.status === undefined ? draft : { ...draft, status: this.status });
    const { effects, status } = decidePort(seen, this.now);
    for (const effect of effects) this.#do(effect);
    const isChanged = status !== undefined && JSON.stringify(status) !== JSON.stringify(this.status);
    if (status !== undefined) this.status = status;
    return isChanged || effects.length > 0;
  }

  #do(effect: PortEffect): void {
    if (effect.kind === 'add-finalizer') this.isHeld = true;
    else if (effect.kind === 'resolve') this.memory = { ...this.memory, failure: undefined };
    else if (effect.kind !== 'remove-finalizer') this.#call(effect);
  }

  #call(effect: Extract<PortEffect, { readonly socket: string }>): void {
    const { socket: port, goal } = effect;
    const call: PortCall =
      effect.kind === 'apply'
        ? { kind: 'apply', port, wanted: effect.wanted }
        : effect.kind === 'clear'
          ? { kind: 'clear', port }
          : { kind: 'read', port };
    const result = this.#answer(call);
    this.memory = memoryAfter(this.memory, { call, goal, unit: this.unit }, { result, now: this.now });
  }

  #answer(call: PortCall) {
    const parts = { port: call.port, strays: [] };
    const told = this.#isBlind
      ? { ...cleanSettings(), ...parts, unread: portAspects }
      : { ...this.device, ...parts, unread: [] };
    // A device that tells nothing is not asked.
    if (this.#isBlind && call.kind === 'read') return { kind: 'done', value: told } as const;
    const how = this.failing;
    this.failing = undefined;
    if (call.kind !== 'read' && (how === undefined || how === 'uncertain')) this.#write(call);
    if (how !== undefined) return { kind: how === 'lost' ? 'uncertain' : how, message: 'scripted' } as SwitchFailure;
    return { kind: 'done', value: this.#isBlind ? told : { ...this.device, ...parts, unread: [] } } as const;
  }

  #write(call: PortCall): void {
    const next = call.kind === 'apply' ? call.wanted : cleanSettings();
    // Nothing is set that nobody wanted at that moment, and nothing is set before it is noted down.
    if (call.kind === 'apply') {
      assert.equal(next.untaggedVlan, this.link);
      assert.equal(this.status?.configuration?.untaggedVLAN, this.link);
      this.#written.add(next.untaggedVlan ?? 0);
    }
    this.device = next;
    this.writes += 1;
  }

  get wasSet(): boolean {
    return this.#written.size > 0;
  }
}

const someVlan = fc.integer({ min: 1, max: 4 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('link' as const), vlan: fc.option(someVlan, { nil: undefined }) }),
  },
  fc.record({ kind: fc.constant('drift' as const), vlan: someVlan }),
  fc.record({
    kind: fc.constant('fail' as const),
    how: fc.constantFrom<Failing>('refused', 'unreachable', 'uncertain', 'lost'),
    times: fc.integer({ min: 1, max: 8 }),
  }),
  fc.constant({ kind: 'replace' as const }),
  fc.constant({ kind: 'restart' as const }),
  { weight: 3, arbitrary: fc.constant({ kind: 'wait' as const }) },
);

/** Lets time pass without anything happening. A port that was refused too often gets other attempts with a restart. */
function settle(walk: Walk): void {
  walk.failing = undefined;
  if (walk.memory.failure?.failure.kind === 'refused') walk.memory = {};
  for (let looks = 0; looks < 40; looks++) if (!walk.look()) walk.now += 120_000;
}

test('whatever happens to a port, it ends as it should when nothing happens any more', () => {
  fc.assert(
    fc.property(someVlan, fc.boolean(), fc.array(happening, { maxLength: 40 }), (start, isBlind, happenings) => {
      const walk = new Walk(vlan(start), { isBlind });
      for (const each of happenings) walk.happen(each);
      settle(walk);
      const state = { ...walk.device, port: 'Ethernet1', unread: [], strays: [] };
      assert.equal(walk.status?.error, undefined);
      if (walk.link !== undefined) {
        assert.equal(walk.status?.state, 'Active');
        assert.deepEqual(planPort(state, vlan(walk.link)).differences, []);
      } else {
        assert.equal(walk.status?.state, 'Idle');
        assert.equal(walk.status?.configuration, undefined);
      }
      if (happenings.every(({ kind }) => kind !== 'link')) assert.equal(walk.writes, 0);
    }),
    { numRuns: 400 },
  );
});

test('a port that was set is clean once nothing is linked to it', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(happening, { maxLength: 30 }), (isBlind, happenings) => {
      const walk = new Walk(cleanSettings(), { isBlind });
      for (const each of happenings) walk.happen(each.kind === 'drift' ? { kind: 'wait' } : each);
      walk.link = undefined;
      settle(walk);
      if (walk.wasSet) assert.equal(walk.device.untaggedVlan, undefined);
    }),
    { numRuns: 400 },
  );
});
