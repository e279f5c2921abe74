import { test } from 'node:test';
import { installNewestFirmware } from './newest-firmware.ts';

test('a Dell with two kinds of NIC and of storage controller gets the newest version of every part, each flashed once', async () => {
  await installNewestFirmware({ words: ['--simulate', '1', '--speed', '300'], timeoutMs: 500_000 });
});
