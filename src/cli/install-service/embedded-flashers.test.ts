import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddedImages } from './embedded-flashers.ts';

const settings = { dataDir: '/data', allowUnverifiedFirmware: false };

test('the flashers of "up" take images below the folder that was named, and no other files', () => {
  assert.deepEqual(embeddedImages({ ...settings, imageFolder: '/srv/firmware' }).fileFolders, ['/srv/firmware']);
  assert.equal(embeddedImages({ ...settings, imageFolder: undefined }).fileFolders, undefined);
});
