import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyNoRealIronic } from './programs.ts';

describe('where the real Ironic comes from', () => {
  const env = { PATH: '/nowhere', HOME: '/nowhere' };

  it('says why it cannot be installed where there is not even a shell', () => {
    assert.match(whyNoRealIronic(env) ?? '', /cannot be installed/);
  });

  it('does not let a continuous integration run skip it', () => {
    assert.throws(() => whyNoRealIronic({ ...env, CI: 'true' }), /this is a failure/);
  });
});
