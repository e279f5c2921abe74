import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyNoSchemathesis } from './programs.ts';

describe('where schemathesis comes from', () => {
  const env = { PATH: '/nowhere', HOME: '/nowhere' };

  it('says why it cannot be installed where there is not even a shell', () => {
    assert.match(whyNoSchemathesis(env) ?? '', /cannot be installed/);
  });

  it('does not let a continuous integration run skip it', () => {
    assert.throws(() => whyNoSchemathesis({ ...env, CI: 'true' }), /this is a failure/);
  });
});
