import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isBusError } from '../errors.ts';
import { completeSettings, defaultNatsSettings, type NatsSettings } from './nats-settings.ts';

it('fills in what is not set', () => {
  assert.deepEqual(completeSettings({ prefix: 'other' }), { ...defaultNatsSettings, prefix: 'other' });
});

const bad: Partial<NatsSettings>[] = [
  { prefetch: 0 },
  { replicas: Number.NaN },
  { requestTimeoutMs: 0 },
  { heartbeatMs: 499 },
  { longestLifeMs: 999 },
  { duplicateWindowMs: 60_000, workMaxAgeMs: 59_000 },
];
for (const settings of bad) {
  it(`refuses ${JSON.stringify(settings)} and says which setting it is`, () => {
    assert.throws(
      () => completeSettings(settings),
      (error) => isBusError(error, 'badSettings') && Object.keys(settings).some((name) => error.message.includes(name)),
    );
  });
}
