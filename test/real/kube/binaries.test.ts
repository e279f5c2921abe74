import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cacheDirectory, whyNoRealKube } from './binaries.ts';

describe('where the real Kubernetes comes from', () => {
  it('says why it cannot be built where there is no Go', () => {
    assert.match(whyNoRealKube({ PATH: '/nowhere' }) ?? '', /Go toolchain is not installed/);
  });

  it('does not let a continuous integration run skip it', () => {
    assert.throws(() => whyNoRealKube({ PATH: '/nowhere', CI: 'true' }), /this is a failure/);
  });

  it('keeps what it built in the cache folder of the user, or where it is told to', () => {
    assert.equal(cacheDirectory({ RACKWRIGHT_CACHE: '/a/b' }), '/a/b');
    assert.equal(cacheDirectory({ XDG_CACHE_HOME: '/c' }), '/c/rackwright');
  });
});
