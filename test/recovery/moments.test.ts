import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCome, type Moment, type Reached, stepAfter, steps } from './moments.ts';

const moment: Moment = { step: 'sending', place: 'answered', nth: 2, blow: 'kill', forMs: 0 };
const comes = (reached: Partial<Reached>, isFirst = true): boolean =>
  hasCome(moment, { step: 'sending', place: 'answered', nth: 2, ...reached }, { isFirst });

test('a moment comes at its step, its place and its count', () => {
  assert.equal(comes({}), true);
  assert.equal(comes({ nth: 1 }), false);
  assert.equal(comes({ place: 'asked' }), false);
  assert.equal(comes({ step: 'following' }), false);
});

test('a step that ends before its moment is hit at its end', () => {
  assert.equal(comes({ place: 'done', nth: 1 }), true);
});

test('whoever never came to its step is hit in the last one, once', () => {
  assert.equal(comes({ step: 'restoring-power', place: 'begun', nth: 1 }), true);
  assert.equal(comes({ step: 'restoring-power', place: 'begun', nth: 1 }, false), false);
});

test('the table tells what follows', () => {
  assert.equal(stepAfter('sending', 'lost'), 'finding');
  assert.equal(stepAfter('following', 'refused'), 'failing');
  assert.equal(stepAfter('planning', 'no such result'), undefined);
  assert.equal(steps.length, 22);
});
