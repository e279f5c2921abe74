import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BareMetalHost, metal3ApiVersion } from '../../api/index.ts';
import {
  detachWishOf,
  isInspectionAsked,
  isInspectionDisabled,
  isPaused,
  readReboot,
  rebootWishOf,
} from './read-annotations.ts';

const one = 'reboot.metal3.io';
const held = 'reboot.metal3.io/fencing';

function hostWith(annotations: Record<string, string>, inspectionMode?: 'disabled' | 'agent'): BareMetalHost {
  const metadata = { name: 'h1', namespace: 'fleet', annotations };
  const spec = { online: true, ...(inspectionMode === undefined ? {} : { inspectionMode }) };
  return { apiVersion: metal3ApiVersion, kind: 'BareMetalHost', metadata, spec };
}

describe('the value of a reboot annotation', () => {
  const soft = { mode: 'soft', isForced: false, isReadable: true } as const;
  const forms: readonly (readonly [string, ReturnType<typeof readReboot>])[] = [
    ['', soft],
    ['{}', soft],
    ['{"mode":""}', soft],
    ['{"mode":"soft"}', soft],
    ['{"mode":"hard"}', { ...soft, mode: 'hard' }],
    ['{"force":true}', { ...soft, isForced: true }],
    ['{"force":false}', soft],
    ['{"mode":"hard","force":true}', { mode: 'hard', isForced: true, isReadable: true }],
    ['{"mode":"sideways"}', { ...soft, isReadable: false }],
    ['{"force":"true"}', soft],
    ['now!', { ...soft, isReadable: false }],
    ['"hard"', { ...soft, isReadable: false }],
    ['["hard"]', { ...soft, isReadable: false }],
    ['null', { ...soft, isReadable: false }],
  ];
  for (const [value, reading] of forms) {
    it(`${value === '' ? 'that is empty' : value} is ${reading.isReadable ? 'read' : 'a soft one'}`, () => {
      assert.deepEqual(readReboot(value), reading);
    });
  }
});

describe('reboot annotations together', () => {
  it('ask for nothing where there are none, whatever else there is', () => {
    const wish = rebootWishOf(hostWith({ 'reboot.metal3.iox': '', 'inspect.metal3.io': '' }), { isForcedOnly: false });
    assert.deepEqual(
      [wish.isAsked, wish.isOneShot, wish.isHeld, wish.isForced, wish.unreadable],
      [false, false, false, false, []],
    );
  });

  it('are a one-shot without a suffix, and a hold with one', () => {
    const [shot, hold] = [{ [one]: '' }, { [held]: '' }].map((each) =>
      rebootWishOf(hostWith(each), { isForcedOnly: false }),
    );
    assert.deepEqual([shot?.isOneShot, shot?.isHeld], [true, false]);
    assert.deepEqual([hold?.isOneShot, hold?.isHeld], [false, true]);
  });

  it('are hard when any of them is, and of those only that count', () => {
    const both = hostWith({ [one]: '{"force":true}', [held]: '{"mode":"hard"}' });
    assert.equal(rebootWishOf(both, { isForcedOnly: false }).mode, 'hard');
    const forced = rebootWishOf(both, { isForcedOnly: true });
    assert.deepEqual([forced.mode, forced.isOneShot, forced.isHeld], ['soft', true, false]);
  });
});

describe('the value of the detached annotation', () => {
  const plain = { isForced: false, deleteAction: 'delete' } as const;
  const forms: readonly (readonly [string, ReturnType<typeof detachWishOf>])[] = [
    ['', plain],
    ['anything', plain],
    ['true', plain],
    ['{', plain],
    ['{}', plain],
    ['{"deleteAction":"delete"}', plain],
    ['{"deleteAction":"delay"}', { ...plain, deleteAction: 'delay' }],
    ['{"deleteAction":"never"}', plain],
    ['{"force":true}', { ...plain, isForced: true }],
    ['{"force":"true"}', plain],
    ['{"deleteAction":"delay","force":true}', { isForced: true, deleteAction: 'delay' }],
  ];
  for (const [value, wish] of forms) {
    it(`${value === '' ? 'that is empty' : value} detaches${wish?.isForced === true ? ' by force' : ''}`, () => {
      assert.deepEqual(detachWishOf(hostWith({ 'baremetalhost.metal3.io/detached': value })), wish);
    });
  }

  it('detaches nothing where there is none', () => {
    assert.equal(detachWishOf(hostWith({})), undefined);
  });
});

describe('other annotations', () => {
  it('pause with any value', () => {
    for (const value of ['', 'metal3.io/capm3', 'metal3.io/hostclaim', 'false']) {
      assert.equal(isPaused(hostWith({ 'baremetalhost.metal3.io/paused': value })), true);
    }
    assert.equal(isPaused(hostWith({})), false);
  });

  it('ask for an inspection, or for none; so does the spec', () => {
    const seen = (value?: string, mode?: 'disabled' | 'agent') => {
      const host = hostWith(value === undefined ? {} : { 'inspect.metal3.io': value }, mode);
      return [isInspectionAsked(host), isInspectionDisabled(host)];
    };
    assert.deepEqual(seen(), [false, false]);
    assert.deepEqual(seen(''), [true, false]);
    assert.deepEqual(seen('anything'), [true, false]);
    assert.deepEqual(seen('disabled'), [false, true]);
    assert.deepEqual(seen(undefined, 'disabled'), [false, true]);
    assert.deepEqual(seen('', 'agent'), [true, false]);
  });
});
