import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFileServer } from '../../firmware-store/index.ts';
import { silentLogger as logger } from '../../telemetry/index.ts';
import { openImageStore } from './image-store.ts';

test('the store fetches with the log-in of the catalogue that is at the same place', async (context) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'image-store-'));
  context.after(() => rm(dataDir, { recursive: true, force: true }));
  const files = await startFileServer(context);
  const body = Buffer.from('an image');
  const url = files.put('/a.fwpkg', body);
  const location = `${files.origin.replace('//', '//token:null@')}/fwrepodata/fwrepo.json`;
  const settings = {
    ...{ dataDir, imageStoreSize: 1_000_000, allowUnverifiedFirmware: false },
    imageStore: { kind: 'folder', folder: join(dataDir, 'store') },
    imageStoreUrl: 'http://images.example',
  } as unknown as Parameters<typeof openImageStore>[0];
  const open = { add: (close: () => Promise<void>) => context.after(close) } as never;
  const opened = await openImageStore(settings, { catalogs: [{ format: 'hpe', location }], logger, open });
  const checksum = createHash('sha256').update(body).digest('hex');
  assert.equal((await opened?.store.fetch({ url, checksum }))?.sha256, checksum);
  assert.equal(files.requests[0]?.authorization, `Basic ${Buffer.from('token:null').toString('base64')}`);
});
