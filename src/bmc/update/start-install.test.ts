import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BmcError, type BmcErrorCode, isBmcError } from '../errors.ts';
import type { ImageFile, InstallOrder } from '../firmware-update.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import type { ScriptedGate } from '../testing/scripted-gate.ts';
import { startInstall } from './start-install.ts';
import { readUpload } from './testing/sent-body.ts';
import { dellTree, hpeTree, openbmcTree, supermicroTree, type Tree } from './testing/vendor-trees.ts';

let folder = '';
let image: ImageFile;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'install-'));
  const path = join(folder, 'fw.bin');
  await writeFile(path, 'FIRMWARE');
  image = { path, digest: { algorithm: 'sha256', hex: createHash('sha256').update('FIRMWARE').digest('hex') } };
});
after(() => rm(folder, { recursive: true }));

const order = (component: string, more: Partial<InstallOrder> = {}): InstallOrder => ({
  image,
  targets: [],
  component,
  ...more,
});
const posts = (gate: ScriptedGate) => gate.sent.filter(({ method }) => method === 'POST');
const failsWith = (code: BmcErrorCode, words: RegExp) => (error: unknown) => {
  assert.ok(isBmcError(error, code), String(error));
  assert.match(error.message, words);
  return true;
};

test('what a BMC does not offer is refused before anything is sent', async () => {
  const cases: readonly (readonly [Tree, InstallOrder, RegExp])[] = [
    [openbmcTree, order('bmc', { image: { uri: 'http://files.example/x' } }), /multipart and push.*download the image/],
    [openbmcTree, order('bmc', { via: 'pull' }), /offers no pull/],
    [hpeTree, order('bmc', { via: 'multipart' }), /offers no multipart/],
    [dellTree, order('bmc', { via: 'push', image: { uri: 'http://files.example/x' } }), /file on this machine/],
    [dellTree, order('bmc', { via: 'pull' }), /needs a URL/],
    [dellTree, order('bmc', { via: 'push', oem: { Ami: { PreserveConfiguration: {} } } }), /multipart push only/],
    [supermicroTree, order('bmc', { applyTime: 'OnReset' }), /OnReset is not among.*Immediate, OnStartUpdateRequest/],
    [supermicroTree, order('bmc', { isForced: true }), /no forced update/],
    [{ ...dellTree, '/redfish/v1/UpdateService': { ServiceEnabled: false } }, order('bmc'), /switched off/],
    [{ ...dellTree, '/redfish/v1/UpdateService': {} }, order('bmc'), /neither a push nor SimpleUpdate/],
  ];
  for (const [tree, ordered, words] of cases) {
    const { bmc, gate } = createScriptedBmc({ tree });
    await assert.rejects(startInstall(bmc, ordered), failsWith('unsupported', words));
    assert.deepEqual(
      gate.sent.filter(({ method }) => method !== 'GET'),
      [],
    );
  }
});

test('an image that is too large or not the right one is not sent', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  const wrong = { ...image, digest: { ...image.digest, hex: '00'.repeat(32) } };
  await assert.rejects(startInstall(bmc, order('bmc', { image: wrong })), failsWith('badImage', /sha256/));
  gate.change('/redfish/v1/UpdateService', { MaxImageSizeBytes: 3 });
  await assert.rejects(startInstall(bmc, order('bmc')), failsWith('badImage', /at most 3/));
  assert.equal(posts(gate).length, 0);
});

test('an answer that was lost or cannot be read is ambiguous, and nothing is sent again', async () => {
  for (const code of ['ambiguous', 'malformed', 'timeout'] as const) {
    const { bmc, gate } = createScriptedBmc({ tree: dellTree });
    gate.on('POST /redfish/v1/UpdateService/MultipartUpload', () => code);
    await assert.rejects(startInstall(bmc, order('bios')), failsWith('ambiguous', /look at the tasks/));
    assert.equal(posts(gate).length, 1);
  }
});

test('a file that changes while it is sent is a bad image, whatever the connection says', async () => {
  const path = join(folder, 'moving.bin');
  await writeFile(path, 'FIRMWARE');
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  gate.on('POST /redfish/v1/UpdateService/MultipartUpload', async (request) => {
    await writeFile(path, 'firmware');
    await assert.rejects(readUpload(request));
    return 'ambiguous' as const;
  });
  await assert.rejects(
    startInstall(bmc, order('bios', { image: { ...image, path } })),
    failsWith('badImage', /changed/),
  );
});

test('a lost lease stops the sending', async () => {
  const { bmc, gate } = createScriptedBmc({
    tree: dellTree,
    checkLease: async () => {
      throw new BmcError('leaseLost', { origin: 'x', detail: 'expired' });
    },
  });
  await assert.rejects(startInstall(bmc, order('bios')), failsWith('leaseLost', /expired/));
  assert.equal(posts(gate).length, 0);
});
