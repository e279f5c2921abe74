import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFlashing, judgeLog } from './judge-log.ts';

const lines = (...all: string[]) =>
  all.map((line, atMs) => {
    const [event = '', ...detail] = line.split(' ');
    return { atMs, event, detail: detail.join(' ') };
  });
const flash = (update: number, version: string, { from = '1', result = 'ok' } = {}) => [
  `update.accepted update=${update} via=pull applyTime=Immediate task=${update}`,
  `update.flash-begin slot=BIOS version=${version} from=${from} update=${update}`,
  `update.flash-end slot=BIOS version=${version} result=${result} update=${update}`,
];
const done = (update: number) => `update.done update=${update}`;
const failed = (update: number) => `update.failed update=${update} reason=flash-failed`;
const judge = (all: readonly string[], isFaulty = false) => judgeLog(lines(...all), { isFaulty });

test('one version after the other, each written once, is as it should be', () => {
  const verdict = judge([...flash(1, '2'), done(1), ...flash(2, '3', { from: '2' }), done(2)]);
  assert.deepEqual(verdict, { violations: [], written: 2, again: 0 });
});

test('a version that is there already is not written, whether out of the box or by an update', () => {
  assert.match(judge([...flash(1, '1'), done(1)]).violations.join(), /where it was already/);
  const twice = judge([...flash(1, '2'), done(1), ...flash(2, '2', { from: '2' }), done(2)]);
  assert.match(twice.violations.join(), /update 2 wrote 2 to BIOS, where it was already/);
  const staged = judge([...flash(1, '2'), 'update.staged update=1', ...flash(2, '2'), done(1), done(2)]);
  assert.match(staged.violations.join(), /update 2 wrote 2 to BIOS, where it was already/);
});

test('what a BMC failed with may be written again', () => {
  const all = [...flash(1, '2', { result: 'critical' }), failed(1), ...flash(2, '2'), done(2)];
  assert.deepEqual(judge(all, true), { violations: [], written: 1, again: 1 });
  const stays = [...flash(1, '2', { result: 'version-stays' }), done(1), ...flash(2, '2'), done(2)];
  assert.deepEqual(judge(stays, true), { violations: [], written: 1, again: 1 });
  assert.match(judge(all).violations.join(), /failed on a BMC without faults: flash-failed/);
});

test('updates do not overlap, and come to an end', () => {
  assert.match(judge([...flash(1, '2'), ...flash(2, '3'), done(1), done(2)]).violations.join(), /1 was not over/);
  assert.match(judge(flash(1, '2')).violations.join(), /update 1 never came to an end/);
});

test('it is seen that an image is being written', () => {
  assert.equal(isFlashing(lines(...flash(1, '2').slice(0, 2))), true);
  assert.equal(isFlashing(lines(...flash(1, '2'))), false);
});
