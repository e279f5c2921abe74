import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddedImages, inFastTime } from './embedded-flashers.ts';

const settings = { dataDir: '/data', allowUnverifiedFirmware: false, egressHosts: undefined, egressSchemes: [] };

test('the flashers of "up" take images below the folder that was named, and no other files', () => {
  assert.deepEqual(embeddedImages({ ...settings, imageFolder: '/srv/firmware' }).fileFolders, ['/srv/firmware']);
  assert.equal(embeddedImages({ ...settings, imageFolder: undefined }).fileFolders, undefined);
});

for (const speed of [60, 200, 300, 2000]) {
  test(`a queued update is seen to wait for its host long before its time is over, ${speed} times as fast`, () => {
    const { startPatienceMs = 0, followMs = 0 } = inFastTime(speed);
    assert.ok(startPatienceMs * 10 <= followMs, `${startPatienceMs} of ${followMs} ms`);
  });
}
