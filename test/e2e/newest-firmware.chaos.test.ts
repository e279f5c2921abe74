import { test } from 'node:test';
import { installNewestFirmware } from './newest-firmware.ts';

test('every model of the default rack gets the newest version of every part, each part flashed at most once', async () => {
  await installNewestFirmware({ words: [], timeoutMs: 60 * 60_000 });
});
