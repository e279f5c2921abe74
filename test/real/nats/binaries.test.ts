import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyNoRealNats } from './binaries.ts';

describe('where the real NATS comes from', () => {
  it('says why it cannot be built where there is no Go', () => {
    assert.match(whyNoRealNats({ PATH: '/nowhere' }) ?? '', /Go toolchain is not installed/);
  });

  it('does not let a continuous integration run skip it', () => {
    assert.throws(() => whyNoRealNats({ PATH: '/nowhere', CI: 'true' }), /this is a failure/);
  });
});
