import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildImage } from '../../images/build-image.ts';
import type { Update } from '../../machine/updates.ts';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';

const service = '/redfish/v1/UpdateService';
const simpleUpdate = `${service}/Actions/UpdateService.SimpleUpdate`;
const multipart = { headers: { 'content-type': 'multipart/form-data; boundary=x' } };

function upload() {
  const image = buildImage({
    vendor: plainPersonality.manufacturer,
    models: ['Plain 1'],
    softwareId: 'plain-nic',
    component: 'nic',
    version: '3.1',
    payloadBytes: 100,
  });
  return { head: image.head, sizeBytes: image.lengthBytes, sha256: image.sha256 };
}

test('the update service offers what the personality has, and nothing else', async () => {
  const { get } = createAskedMachine();
  const body = await get(service);
  assert.equal(body.MultipartHttpPushUri, `${service}/update-multipart`);
  assert.equal(body.HttpPushUri, `${service}/update`);
  assert.equal(body.MaxImageSizeBytes, 1_000_000);
  const actions = body.Actions as Record<string, Record<string, unknown>>;
  assert.deepEqual(actions['#UpdateService.SimpleUpdate']?.['TransferProtocol@Redfish.AllowableValues'], [
    'HTTP',
    'HTTPS',
  ]);
  const bare = { applyTimes: [], hasBusyClaim: false };
  const little = createAskedMachine({ personality: { ...plainPersonality, update: bare } });
  const less = await little.get(service);
  assert.deepEqual(less.Actions, {});
  for (const member of ['MultipartHttpPushUri', 'HttpPushUri', 'HttpPushUriOptions', 'MaxImageSizeBytes']) {
    assert.equal(less[member], undefined, member);
  }
  assert.equal((await little.ask('POST', simpleUpdate, { body: { ImageURI: 'http://127.0.0.1/x' } })).status, 404);
  assert.equal((await little.ask('POST', `${service}/update`, { upload: upload() })).status, 404);
});

test('a multipart upload begins an update with its targets and apply time', async () => {
  const { ask, machine, clock } = createAskedMachine();
  const body = { Targets: [], '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' };
  const answer = await ask('POST', `${service}/update-multipart`, { ...multipart, body, upload: upload() });
  assert.equal(answer.status, 202);
  await clock.settle();
  const update = machine.updates.all[0];
  assert.deepEqual([update?.via, update?.applyTime, update?.phase], ['multipart', 'OnStartUpdateRequest', 'uploaded']);
});

test('StartUpdate starts what was uploaded and answers with its task; with nothing uploaded it is refused', async () => {
  const { ask, machine, clock } = createAskedMachine();
  const action = `${service}/Actions/UpdateService.StartUpdate`;
  assert.deepEqual(messageIds(await ask('POST', action)), ['Base.1.8.OperationFailed']);
  const body = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' };
  await ask('POST', `${service}/update-multipart`, { ...multipart, body, upload: upload() });
  await clock.settle();
  const answer = await ask('POST', action);
  assert.equal(answer.status, 202);
  assert.match(answer.headers?.Location ?? '', /^\/redfish\/v1\/TaskService\/Tasks\//);
  await clock.settle();
  assert.equal(machine.firmware.find(({ component }) => component === 'nic')?.version, '3.1');
});

test('an upload without a file, or one that the machine refuses, is refused in the words of the vendor', async () => {
  const { ask } = createAskedMachine();
  const empty = await ask('POST', `${service}/update-multipart`, multipart);
  assert.deepEqual(messageIds(empty), ['missing-member']);
  const strange = { head: new Uint8Array(10), sizeBytes: 10, sha256: 'x' };
  assert.deepEqual(messageIds(await ask('POST', `${service}/update-multipart`, { ...multipart, upload: strange })), [
    'not-an-image',
  ]);
});

test('a raw push wants the claim where the vendor has one, and takes targets and apply time from there', async () => {
  const { ask, get, machine } = createAskedMachine();
  const push = () => ask('POST', `${service}/update`, { upload: upload() });
  assert.deepEqual(messageIds(await push()), ['missing-member']);
  const claim = {
    HttpPushUriTargetsBusy: true,
    HttpPushUriTargets: [],
    HttpPushUriOptions: { HttpPushUriApplyTime: { ApplyTime: 'OnReset' } },
  };
  assert.equal((await ask('PATCH', service, { body: claim })).status, 200);
  assert.deepEqual(messageIds(await ask('PATCH', service, { body: claim })), ['Base.1.8.ResourceInUse']);
  assert.equal((await get(service)).HttpPushUriTargetsBusy, true);
  assert.equal((await push()).status, 202);
  const update: Update | undefined = machine.updates.all[0];
  assert.deepEqual([update?.via, update?.applyTime], ['push', 'OnReset']);
  assert.equal((await ask('PATCH', service, { body: { HttpPushUriTargetsBusy: false } })).status, 200);
  assert.equal((await get(service)).HttpPushUriTargetsBusy, false);
});

test('push options that cannot be are refused', async () => {
  const { ask } = createAskedMachine();
  const bad = {
    HttpPushUriTargets: 'all',
    HttpPushUriTargetsBusy: 'no',
    HttpPushUriOptions: { HttpPushUriApplyTime: { ApplyTime: 'Soon' } },
    MaxImageSizeBytes: 5,
  };
  assert.deepEqual(
    messageIds(await ask('PATCH', service, { body: bad })).map((id) => id.slice(9)),
    ['PropertyValueTypeError', 'PropertyValueTypeError', 'PropertyValueNotInList', 'PropertyUnknown'],
  );
});

test('SimpleUpdate begins a pull by the address alone, or says which parameter it misses or cannot use', async () => {
  const { ask, machine } = createAskedMachine();
  const refused: [object, string, string][] = [
    [{}, 'ActionParameterMissing', 'ImageURI'],
    [{ ImageURI: 7 }, 'ActionParameterValueFormatError', 'ImageURI'],
    [{ ImageURI: '127.0.0.1/x' }, 'ActionParameterMissing', 'TransferProtocol'],
    [{ ImageURI: 'tftp://127.0.0.1/x' }, 'ActionParameterValueNotInList', 'TransferProtocol'],
    [{ ImageURI: 'http://127.0.0.1/x', TransferProtocol: 'NFS' }, 'ActionParameterValueNotInList', 'TransferProtocol'],
  ];
  for (const [body, key, parameter] of refused) {
    const answer = await ask('POST', simpleUpdate, { body: { ...body } });
    assert.equal(answer.status, 400);
    assert.deepEqual(messageIds(answer), [`Base.1.8.${key}`]);
    assert.match(JSON.stringify(answer.body), new RegExp(`#/${parameter}`));
  }
  assert.equal((await ask('POST', simpleUpdate, { body: { ImageURI: 'http://127.0.0.1:9/x' } })).status, 202);
  assert.equal(machine.updates.all[0]?.via, 'pull');
});

test('a vendor that wants the protocol named refuses an update without it', async () => {
  const update = { ...plainPersonality.update, simpleUpdate: { protocols: ['HTTP'], isProtocolRequired: true } };
  const { ask } = createAskedMachine({ personality: { ...plainPersonality, update } });
  const ImageURI = 'http://127.0.0.1:9/x';
  assert.deepEqual(messageIds(await ask('POST', simpleUpdate, { body: { ImageURI } })), [
    'Base.1.8.ActionParameterMissing',
  ]);
  assert.equal((await ask('POST', simpleUpdate, { body: { ImageURI, TransferProtocol: 'HTTP' } })).status, 202);
});

test('the inventory follows the firmware that is installed', async () => {
  const { get, machine } = createAskedMachine();
  const slot = machine.firmware.find(({ component }) => component === 'bmc');
  assert.ok(slot);
  slot.version = '1.1';
  const entry = await get(`${service}/FirmwareInventory/BMC`);
  assert.deepEqual([entry.Version, entry.SoftwareId, entry.Updateable], ['1.1', 'plain-bmc', true]);
  assert.deepEqual(entry.RelatedItem, [{ '@odata.id': '/redfish/v1/Managers/bmc' }]);
  assert.equal((await get('/redfish/v1/Managers/bmc')).FirmwareVersion, '1.1');
});
