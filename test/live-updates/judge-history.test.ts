import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineHistory } from '../recovery/fleet.ts';
import { hasEnded, mostAtOnce, readService } from './judge-history.ts';

/** A log in which something happens every second. */
function logOf(...events: readonly string[]): MachineHistory {
  const told = events.map((text, at) => {
    const [event = '', type = 'ForceRestart'] = text.split(' ');
    return { atMs: at * 1000, event, detail: event === 'power.reset' ? `type=${type} outcome=ok` : '' };
  });
  return { name: 'server', events: told, dropped: 0, firmware: [], power: 'On' };
}

const whole = ['bios.staged', 'power.reset', 'post.begin', 'bios.applied', 'post.done'];

test('a log ends with the self-test that a service began, not with its settings', () => {
  assert.equal(hasEnded(logOf(...whole), 0), true);
  assert.equal(hasEnded(logOf(...whole.slice(0, -1)), 0), false);
  assert.equal(hasEnded(logOf('post.begin', 'post.done', ...whole.slice(0, 3)), 2), false);
  assert.equal(hasEnded(logOf('post.begin', 'post.done', 'post.begin', 'post.done'), 2), true);
  assert.equal(hasEnded(logOf(), 0), true);
});

test('a service is from its first change to the end of the self-test, and what was at work before is none of it', () => {
  const { applied, restarts, downMs, spans } = readService(logOf('post.begin', 'post.done', ...whole), 1);
  assert.deepEqual({ applied, restarts, downMs }, { applied: 1, restarts: 1, downMs: 3000 });
  assert.deepEqual(spans, [{ fromMs: 2000, toMs: 6000 }]);
  assert.equal(readService(logOf(...whole.slice(0, -1)), 0).downMs, Number.NaN);
});

test('a host that is shut down and started, by force where it must be, was restarted once', () => {
  const [staged = '', , ...rest] = whole;
  const resets = ['GracefulShutdown', 'ForceOff', 'On'].map((type) => `power.reset ${type}`);
  const { restarts, downMs } = readService(logOf(staged, ...resets, ...rest), 0);
  assert.deepEqual({ restarts, downMs }, { restarts: 1, downMs: 5000 });
  assert.equal(readService(logOf(...whole, 'power.reset On'), 0).restarts, 2);
});

test('machines are at once when one begins before the other has ended', () => {
  const span = (fromMs: number, toMs: number) => ({ fromMs, toMs });
  assert.equal(mostAtOnce([span(0, 10), span(10, 20), span(20, 30)]), 1);
  assert.equal(mostAtOnce([span(0, 10), span(9, 20), span(9, 30)]), 3);
});
