import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoRealSwitches } from './programs.ts';

test('where there is no apt-get it is said why there are no real switches, and with CI=true that is a failure', () => {
  assert.match(whyNoRealSwitches({ PATH: '/nowhere' }) ?? '', /real switches/);
  assert.throws(() => whyNoRealSwitches({ PATH: '/nowhere', CI: 'true' }), /this is a failure/);
});
