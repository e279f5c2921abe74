import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { collection, sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc, type ScriptedBmc } from '../testing/scripted-bmc.ts';
import { ejectMedia, insertMedium, listVirtualDrives } from './virtual-media.ts';

const media = '/redfish/v1/Managers/1/VirtualMedia';
const image = 'http://10.0.0.1/boot.iso';
const insertLine = `POST ${media}/CD/Actions/VirtualMedia.InsertMedia`;
const ejectLine = `POST ${media}/CD/Actions/VirtualMedia.EjectMedia`;

/** A drive that takes an image by the actions of the standard. */
function withDrive(tree = sampleTree()): ScriptedBmc {
  const scripted = createScriptedBmc({ tree });
  const { gate, clock } = scripted;
  gate.on(insertLine, (request) => {
    const { Image } = request.body as JsonObject;
    clock.after(3000, () => gate.change(`${media}/CD`, { Inserted: true, Image }));
    return { status: 204 };
  });
  gate.on(ejectLine, () => {
    gate.change(`${media}/CD`, { Inserted: false, Image: null });
    return { status: 204 };
  });
  return scripted;
}

test('an image goes into the CD drive, once', async () => {
  const { bmc, gate } = withDrive();
  const change = await insertMedium(bmc, { image });
  assert.deepEqual([change.drive.id, change.wasSent, change.isVerified, change.drive.image], ['CD', true, true, image]);
  const post = gate.sent.find(({ method }) => method === 'POST');
  assert.deepEqual([post?.body, post?.isDisruptive], [{ Image: image }, true]);
  assert.equal((await insertMedium(bmc, { image })).wasSent, false);
});

test('another image is taken out first', async () => {
  const { bmc, gate } = withDrive();
  gate.change(`${media}/CD`, { Inserted: true, Image: 'http://10.0.0.1/old.iso' });
  assert.equal((await insertMedium(bmc, { image })).isVerified, true);
  assert.deepEqual(
    gate.sent.filter(({ method }) => method === 'POST').map(({ path }) => path.split('.').at(-1)),
    ['EjectMedia', 'InsertMedia'],
  );
});

test('a BMC that insists on optional members gets them', async () => {
  const { bmc, gate } = withDrive();
  const missing = { error: { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.8.ActionParameterMissing' }] } };
  gate.once(insertLine, () => ({ status: 400, body: missing }));
  assert.equal((await insertMedium(bmc, { image })).isVerified, true);
  assert.deepEqual(gate.sent.filter(({ method }) => method === 'POST').at(-1)?.body, {
    Image: image,
    Inserted: true,
    WriteProtected: true,
    TransferMethod: 'Stream',
    TransferProtocolType: 'HTTP',
  });
});

test('a refusal for another reason is an error', async () => {
  const { bmc, gate } = withDrive();
  gate.on(insertLine, () => ({ status: 400 }));
  await assert.rejects(insertMedium(bmc, { image }), (error) => isBmcError(error, 'refused'));
  assert.equal(gate.sent.filter(({ method }) => method === 'POST').length, 1);
});

test('drives without actions take a PATCH', async () => {
  const more = collection(media, { CD: { MediaTypes: ['CD'], Inserted: false } });
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ more }) });
  assert.equal((await insertMedium(bmc, { image })).isVerified, true);
  assert.deepEqual(gate.sent.find(({ method }) => method === 'PATCH')?.body, { Image: image, Inserted: true });
  assert.equal((await ejectMedia(bmc))[0]?.isVerified, true);
  assert.deepEqual(gate.sent.findLast(({ method }) => method === 'PATCH')?.body, { Image: null, Inserted: false });
});

test('newer BMCs have the drives at the system', async () => {
  const place = '/redfish/v1/Systems/1/VirtualMedia';
  const tree = sampleTree({
    system: { VirtualMedia: { '@odata.id': place } },
    more: collection(place, { 1: { MediaTypes: ['CD', 'DVD', 'USBStick'], Inserted: false } }),
  });
  const { bmc, gate } = createScriptedBmc({ tree });
  assert.deepEqual(
    (await listVirtualDrives(bmc)).map(({ path }) => path),
    [`${place}/1`],
  );
  assert.equal(
    gate.lines.some((line) => line.includes('Managers')),
    false,
  );
});

test('nothing to take out is fine', async () => {
  const { bmc, gate } = withDrive();
  assert.deepEqual(await ejectMedia(bmc), []);
  assert.equal(
    gate.sent.some(({ method }) => method !== 'GET'),
    false,
  );
});

test('a BMC without a fitting drive says which it has', async () => {
  const more = collection(media, { F: { MediaTypes: ['Floppy'] } });
  const { bmc } = createScriptedBmc({ tree: sampleTree({ more }) });
  await assert.rejects(insertMedium(bmc, { image }), /insert a cd: its virtual drives are F \(Floppy\)/);
  const none = createScriptedBmc({ tree: sampleTree({ manager: { VirtualMedia: null } }) });
  await assert.rejects(insertMedium(none.bmc, { image }), /neither the system nor its manager/);
});

test('an image that never shows up is not verified', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  gate.on(insertLine, () => ({}));
  assert.equal((await insertMedium(bmc, { image })).isVerified, false);
});
