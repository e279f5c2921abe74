import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostRecord, WorkNote } from '../host-record.ts';
import type { DeskLook } from '../ports.ts';
import type { Workplace } from '../workplace.ts';
import { serviceHost } from './change-firmware.ts';
import { detachHost } from './forget.ts';

const what = { settings: {}, updates: [{ component: 'bios', url: 'http://files/bios-2.bin' }] };
const nothing = { settings: {}, updates: [] };
const unmade = { areSettingsMade: false, images: [] };
const givenUp = { ticket: 'one', isSpecified: false };

/** A host with a change of firmware that was begun and of which the desk says so. */
function placeWith(look: DeskLook, end?: WorkNote['end']) {
  const cancelled: string[] = [];
  const note = { ticket: 'one', what, conditions: ['a'], images: ['fw-bios'], ...(end === undefined ? {} : { end }) };
  const kept: { record: HostRecord | undefined } = { record: { id: 'm1', use: 'deployed', service: note } };
  const desk = { look: async () => look, cancel: async (ids: readonly string[]) => void cancelled.push(...ids) };
  const records = {
    read: async () => kept.record,
    change: async (_: unknown, edit: (now: HostRecord | undefined) => HostRecord | undefined) => {
      kept.record = edit(kept.record) ?? kept.record;
    },
    remove: async () => {
      kept.record = undefined;
    },
  };
  const place = {
    parts: { desk, records, pollMs: 5000, random: () => 0 },
    host: { namespace: 'fleet', name: 'h1', isPowerOffDisabled: false },
    background: { forget: () => {} },
  } as unknown as Workplace;
  return { place, kept, cancelled };
}

describe('a host whose firmware is being changed, without an Ironic', () => {
  it('is not let go of before that has ended, unless by force', async () => {
    const { place, kept } = placeWith({ kind: 'going' });
    const outcome = await detachHost(place, { isForced: false });
    assert.deepEqual([outcome.kind, kept.record?.id], ['busy', 'm1']);
    assert.equal((await detachHost(place, { isForced: true })).kind, 'done');
    assert.equal(kept.record, undefined);
  });

  for (const look of [{ kind: 'done' }, { kind: 'failed', message: 'no', made: unmade }] as const) {
    it(`is let go of once that is ${look.kind}, though nobody has noted it`, async () => {
      const { place, kept } = placeWith(look);
      assert.equal((await detachHost(place, { isForced: false })).kind, 'done');
      assert.equal(kept.record, undefined);
    });
  }

  it('is let go of once that was given up', async () => {
    const { place, cancelled } = placeWith({ kind: 'failed', message: 'it was cancelled', made: unmade });
    assert.deepEqual(await serviceHost(place, givenUp), { kind: 'done', value: { ...nothing, left: what } });
    assert.deepEqual(cancelled, ['a']);
    assert.equal((await detachHost(place, { isForced: false })).kind, 'done');
  });

  it('tells which of its images were installed when it was given up, however often it is asked', async () => {
    const made = { areSettingsMade: false, images: ['fw-bios'] };
    const { place } = placeWith({ kind: 'failed', message: 'it was cancelled', made });
    for (const look of ['once', 'again']) {
      const { value } = (await serviceHost(place, givenUp)) as { value: unknown };
      assert.deepEqual(value, { ...what, left: nothing }, look);
    }
  });

  it('is told to go on while what was given up has not ended', async () => {
    const { place } = placeWith({ kind: 'going' });
    assert.equal((await serviceHost(place, givenUp)).kind, 'continue');
  });

  for (const [noted, end] of [
    ['not noted', undefined],
    ['noted', {}],
  ] as const) {
    it(`tells what was made before it could be given up, its end ${noted}, however often it is asked`, async () => {
      const { place } = placeWith({ kind: 'done' }, end);
      for (const look of ['once', 'again']) {
        assert.deepEqual(await serviceHost(place, givenUp), { kind: 'done', value: what }, look);
      }
      const another = { ticket: 'two', isSpecified: false };
      assert.deepEqual(await serviceHost(place, another), { kind: 'done', value: nothing });
    });
  }

  it('calls nothing made that failed', async () => {
    const { place, kept } = placeWith({ kind: 'done' }, { failure: 'no' });
    assert.deepEqual(await serviceHost(place, givenUp), { kind: 'done', value: nothing });
    assert.equal(kept.record?.service, undefined);
  });
});
