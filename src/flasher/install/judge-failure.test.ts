import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
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
  readonly component?: 'bios' | 'bmc';
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
  {
    name: 'what the server does not do in its present state is asked for later',
    messageIds: ['iLO.2.14.InvalidOperationForSystemState'],
    mayPass: false,
    expected: 'retry',
  },
];

const unavailable = ['iLO.2.14.UpdateTemporarilyUnavailable'];
const afterTime = [
  { name: 'a ROM that another one may keep out is given time first', attempts: 1, expected: 'retry' },
  { name: 'a ROM that is kept out for longer gets a restart of the host', attempts: 2, expected: 'cure reset-host' },
  {
    name: 'a restart that freed nothing is not repeated',
    attempts: 2,
    cures: ['reset-host' as const],
    expected: 'retry',
  },
].map((one) => ({ ...one, component: 'bios' as const, messageIds: unavailable }));
const bmcKeptOut = { name: 'a BMC that is kept out', component: 'bmc' as const, messageIds: unavailable, attempts: 2 };

for (const one of [...cases, ...afterTime, { ...bmcKeptOut, expected: 'retry' }]) {
  const { name, expected, attempts = 1, cures = [], component = 'bios', ...more } = one;
  test(`after a failure: ${name}`, () => {
    const decision = decideAfterFailure(
      { failure: { ...failure, ...more }, attempts, cures, component },
      defaultInstallSettings,
    );
    assert.equal([decision.kind, 'cure' in decision ? decision.cure : ''].join(' ').trim(), expected);
  });
}

test('after a failure: the wait grows with the attempts, and is longest where the BMC wants time', () => {
  const { baseMs, maxMs } = defaultInstallSettings.retry;
  const waits = [1, 2].map((attempts) => decideAfterFailure({ failure, attempts, cures: [] }, defaultInstallSettings));
  assert.deepEqual(waits, [
    { kind: 'retry', afterMs: baseMs },
    { kind: 'retry', afterMs: 4 * baseMs },
  ]);
  const busy = { ...failure, messageIds: ['IDRAC.2.8.SYS518'] };
  const wanted = decideAfterFailure({ failure: busy, attempts: 1, cures: [] }, defaultInstallSettings);
  assert.deepEqual(wanted, { kind: 'retry', afterMs: maxMs });
});

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
