import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { dellTree, hpeTree, lenovoTree, openbmcTree, supermicroTree, type Tree } from './testing/vendor-trees.ts';
import { describeUpdateService } from './update-service.ts';

const describeTree = (tree: Tree) => describeUpdateService(createScriptedBmc({ tree }).bmc);

test('an iDRAC offers all ways, and does not say how large an image may be', async () => {
  const offer = await describeTree(dellTree);
  assert.deepEqual(offer.multipart, {
    uri: '/redfish/v1/UpdateService/MultipartUpload',
    applyTimes: ['Immediate', 'OnReset', 'OnStartUpdateRequest'],
  });
  assert.equal(offer.push?.uri, '/redfish/v1/UpdateService/FirmwareInventory');
  assert.deepEqual(offer.pull?.protocols, ['HTTP', 'NFS', 'CIFS', 'TFTP', 'HTTPS']);
  assert.equal(offer.maxImageSizeBytes, undefined);
  assert.equal(offer.push?.isBusy, undefined);
});

test('an XCC knows claims, limits, and tells of SimpleUpdate in an ActionInfo', async () => {
  const offer = await describeTree(lenovoTree);
  assert.deepEqual(offer.push, {
    uri: '/fwupdate',
    applyTimes: ['Immediate', 'OnReset', 'OnStartUpdateRequest'],
    applyTime: 'Immediate',
    canNameTargets: true,
    isBusy: false,
  });
  assert.equal(offer.maxImageSizeBytes, 250_000_000);
  assert.deepEqual(offer.pull, {
    target: '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate',
    protocols: ['TFTP', 'SFTP'],
    isProtocolRequired: true,
    members: ['ImageURI', 'TransferProtocol', 'Username', 'Password', 'Targets'],
    targets: ['/redfish/v1/UpdateService/FirmwareInventory/BMC-Backup'],
    applyTimes: [],
  });
});

test('an OpenBMC has no SimpleUpdate, an iLO 5 no multipart push', async () => {
  const openbmc = await describeTree(openbmcTree);
  assert.equal(openbmc.pull, undefined);
  assert.equal(openbmc.push?.applyTime, 'OnReset');
  const hpe = await describeTree(hpeTree);
  assert.equal(hpe.multipart, undefined);
  assert.deepEqual(hpe.applyTimes, []);
});

test('an X12 has StartUpdate; an ActionInfo that is not there does not matter', async () => {
  const offer = await describeTree(supermicroTree);
  assert.equal(offer.startUpdate, '/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate');
  assert.deepEqual(offer.multipart?.applyTimes, ['Immediate', 'OnStartUpdateRequest']);
  assert.equal(offer.pull?.members, undefined);
});

test('a BMC without an UpdateService says so, and one that is switched off too', async () => {
  const { UpdateService: _, ...root } = dellTree['/redfish/v1/'] ?? {};
  await assert.rejects(describeTree({ ...dellTree, '/redfish/v1/': root, '/redfish/v1': root }), (error) =>
    isBmcError(error, 'unsupported'),
  );
  const off = { ...dellTree, '/redfish/v1/UpdateService': { ServiceEnabled: false } };
  assert.equal((await describeTree(off)).isEnabled, false);
});

test('links to elsewhere and nonsense are not taken for offers', async () => {
  const tree = {
    ...dellTree,
    '/redfish/v1/UpdateService': {
      MultipartHttpPushUri: 'https://elsewhere.example/upload',
      HttpPushUri: 17,
      MaxImageSizeBytes: 'many',
      Actions: ['no'],
    },
  };
  const offer = await describeTree(tree);
  assert.deepEqual(
    [offer.multipart, offer.push, offer.pull, offer.maxImageSizeBytes],
    [undefined, undefined, undefined, undefined],
  );
});
