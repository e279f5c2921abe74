import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Unsticking } from '../../bmc/index.ts';
import { decideAfterFailure, failureOf, isHopeless } from './judge-failure.ts';
import { defaultInstallSettings } from './settings.ts';

const failure = { code: 'TaskFailed', message: 'it failed', messageIds: [] as string[], mayPass: true };

const cases: readonly {
  readonly name: string;
  readonly messageIds?: readonly string[];
  readonly mayPass?: boolean;
  readonly attempts?: number;
  readonly cures?: Unsticking[];
  readonly expected: string;
}[] = [
  { name: 'what may pass is tried again', expected: 'retry' },
  { name: 'what cannot pass is given up', mayPass: false, expected: 'give-up' },
  { name: 'all attempts together are bounded', attempts: 3, expected: 'give-up' },
  { name: 'a stuck updater is freed', messageIds: ['IDRAC.2.8.JCP052'], mayPass: false, expected: 'cure reset-bmc' },
  {
    name: 'a cure that did not help is not tried again',
    messageIds: ['IDRAC.2.8.JCP052'],
    mayPass: false,
    attempts: 2,
    cures: ['reset-bmc'],
    expected: 'give-up',
  },
  { name: 'a full queue is cleared', messageIds: ['IDRAC.2.8.SYS011'], mayPass: false, expected: 'cure clear-queue' },
  {
    name: 'where clearing did not help the BMC is restarted',
    messageIds: ['IDRAC.2.8.SYS011'],
    mayPass: false,
    attempts: 2,
    cures: ['clear-queue'],
    expected: 'cure reset-bmc',
  },
  { name: 'what only wants time gets it', messageIds: ['IDRAC.2.8.SYS518'], mayPass: false, expected: 'retry' },
];

for (const { name, expected, attempts = 1, cures = [], ...more } of cases) {
  test(`after a failure: ${name}`, () => {
    const decision = decideAfterFailure({ failure: { ...failure, ...more }, attempts, cures }, defaultInstallSettings);
    assert.equal([decision.kind, 'cure' in decision ? decision.cure : ''].join(' ').trim(), expected);
  });
}

test('whatever fails, an action is given up after a bounded number of steps', () => {
  const ids = fc.subarray(['A.1.JCP052', 'A.1.SYS011', 'A.1.SYS518', 'A.1.Unknown']);
  fc.assert(
    fc.property(fc.array(fc.record({ messageIds: ids, mayPass: fc.boolean() }), { minLength: 40 }), (failures) => {
      const cures: Unsticking[] = [];
      let attempts = 1;
      for (const one of failures) {
        const decision = decideAfterFailure(
          { failure: { ...failure, ...one }, attempts, cures },
          defaultInstallSettings,
        );
        if (decision.kind === 'give-up') return attempts <= defaultInstallSettings.maxAttempts;
        if (decision.kind === 'cure') cures.push(decision.cure);
        attempts += 1;
      }
      return false;
    }),
  );
});

test('an image that is at fault is not sent again', () => {
  assert.ok(isHopeless({ message: '', messageIds: ['Update.1.0.VerificationFailed'] }));
  assert.ok(isHopeless({ message: 'the signature of the image is wrong', messageIds: [] }));
  assert.ok(!isHopeless({ message: 'the flash failed', messageIds: ['IDRAC.2.8.SUP0516'] }));
});

test('an error of ours is named as such and does not pass', () => {
  assert.deepEqual(failureOf(new TypeError('oops')), {
    code: 'WorkerError',
    message: 'oops',
    messageIds: [],
    mayPass: false,
  });
});
