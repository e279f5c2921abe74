import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualLimits, withUsualLimits } from '../../apiserver/index.ts';
import { readSettings } from '../settings.ts';
import { apiLimitNames, apiLimits } from './api-limit-settings.ts';

test('without a word about them, the limits of the API server are the usual ones', () => {
  const settings = readSettings(apiLimitNames, {}, { env: {}, cwd: '/' });
  assert.deepEqual(withUsualLimits(apiLimits(settings)), usualLimits);
});

test('what is given takes the place of the usual', () => {
  const env = { RACKWRIGHT_API_MAX_WRITES: '5' };
  const settings = readSettings(apiLimitNames, { apiMaxWatches: '7' }, { env, cwd: '/' });
  const { writes, watch } = withUsualLimits(apiLimits(settings));
  assert.deepEqual([writes.seats, writes.seatsPerClient, watch.watchesPerClient], [5, 3, 7]);
});
