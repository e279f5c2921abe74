import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '#fast-check';
import { blankStatus, retryDelayMs, withBegin, withEnd, withError, withoutError } from './host-status.ts';

describe('the wait after failures', () => {
  it('is between 2^(n-1) and 2^n minutes, and never more than 2^9', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (count, share) => {
        const minutes = retryDelayMs(count, share) / 60_000;
        const steps = Math.min(count, 9);
        assert.ok(minutes >= 2 ** (steps - 1) && minutes <= 2 ** steps, `${minutes} minutes after ${count}`);
      }),
    );
  });
});

describe('the status of a host', () => {
  it('counts its failures, also the same one', () => {
    const once = withError(blankStatus, 'inspection error', 'x');
    assert.deepEqual([once.errorCount, once.operationalStatus], [1, 'error']);
    assert.equal(withError(once, 'inspection error', 'x').errorCount, 2);
  });

  it('loses only the errors that are meant', () => {
    const failed = withError(blankStatus, 'inspection error', 'x');
    assert.equal(withoutError(failed, 'registration error'), failed);
    const fine = withoutError(failed, 'registration error', 'inspection error');
    assert.deepEqual([fine.errorType, fine.errorMessage, fine.operationalStatus], [undefined, '', 'OK']);
  });

  it('tells when something began and ended, and an end only of what began', () => {
    assert.equal(withEnd(blankStatus, 'inspect', 0), blankStatus);
    const ended = withEnd(withBegin(blankStatus, 'inspect', 0), 'inspect', 5000);
    assert.deepEqual(ended.operationHistory?.inspect, { start: '1970-01-01T00:00:00Z', end: '1970-01-01T00:00:05Z' });
    assert.equal(withEnd(ended, 'inspect', 9000), ended);
    assert.equal(withBegin(ended, 'inspect', 9000).operationHistory?.inspect?.end, undefined);
  });
});
