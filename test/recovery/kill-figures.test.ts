import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationsOf, findResumptions, withAnswers } from './kill-figures.ts';
import type { LeaseEvent } from './work-order.ts';

const happened = (at: number, event: string, controller: string): LeaseEvent => ({
  ...{ at, event, controller },
  ...{ conditionId: 'c1', target: 'server/1' },
});

test('an install is resumed with the first answer or report of the worker that leased it next', () => {
  const events = [happened(1, 'leased', 'a'), happened(2, 'reported', 'a'), happened(40, 'leased', 'b')];
  const kills = [{ controller: 'a', at: 10 }];
  assert.deepEqual(durationsOf({ resumptions: findResumptions(kills, events) }), [Number.POSITIVE_INFINITY]);
  const answered = withAnswers(events, [{ at: 41, target: 'server/1', controller: 'b' }]);
  assert.deepEqual(durationsOf({ resumptions: findResumptions(kills, answered) }), [31]);
  const reported = [...events, happened(45, 'reported', 'b')];
  assert.deepEqual(durationsOf({ resumptions: findResumptions(kills, reported) }), [35]);
});

test('a worker that was killed before it had an answer had gone on with the lease', () => {
  const events = [happened(1, 'leased', 'a'), happened(40, 'leased', 'b'), happened(80, 'leased', 'c')];
  const kills = [
    { controller: 'a', at: 10 },
    { controller: 'b', at: 41 },
  ];
  const answered = withAnswers(events, [{ at: 81, target: 'server/1', controller: 'c' }]);
  assert.deepEqual(durationsOf({ resumptions: findResumptions(kills, answered) }), [30, 40]);
});

test('what had ended before the kill lost nothing', () => {
  const events = [happened(1, 'leased', 'a'), happened(5, 'finalized', 'a')];
  assert.deepEqual(findResumptions([{ controller: 'a', at: 10 }], events), []);
});
