import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoRealS3 } from './binaries.ts';

test('where there is no Go it is said why there is no real S3 server, and with CI=true that is a failure', () => {
  assert.match(whyNoRealS3({ PATH: '/nowhere' }) ?? '', /Go toolchain is not installed/);
  assert.throws(() => whyNoRealS3({ PATH: '/nowhere', CI: 'true' }), /this is a failure/);
});
