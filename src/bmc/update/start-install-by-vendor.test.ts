import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type BmcErrorCode, isBmcError } from '../errors.ts';
import type { ImageFile, InstallOrder } from '../firmware-update.ts';
import type { JsonObject } from '../json.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import type { ScriptedGate } from '../testing/scripted-gate.ts';
import { startInstall } from './start-install.ts';
import { readUpload } from './testing/sent-body.ts';
import {
  collectionOf,
  dellTree,
  hpeTree,
  lenovoTree,
  openbmcTree,
  supermicroTree,
  type Tree,
} from './testing/vendor-trees.ts';

let folder = '';
let image: ImageFile;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'install-'));
  const path = join(folder, 'fw.bin');
  await writeFile(path, 'FIRMWARE');
  image = { path, digest: { algorithm: 'sha256', hex: createHash('sha256').update('FIRMWARE').digest('hex') } };
});
after(() => rm(folder, { recursive: true }));

const tasks = '/redfish/v1/TaskService/Tasks';
const order = (component: string, more: Partial<InstallOrder> = {}): InstallOrder => ({
  image,
  targets: [],
  component,
  ...more,
});
const withTasks = (tree: Tree, bodies: Readonly<Record<string, JsonObject>>): Tree => ({
  ...tree,
  [tasks]: collectionOf(tasks, ...Object.keys(bodies)),
  ...Object.fromEntries(
    Object.entries(bodies).map(([id, body]) => [`${tasks}/${id}`, { '@odata.id': `${tasks}/${id}`, Id: id, ...body }]),
  ),
});
const bodyOf = (request: { readonly body?: unknown } | undefined) => (request?.body ?? {}) as JsonObject;
const posts = (gate: ScriptedGate) => gate.sent.filter(({ method }) => method === 'POST');
const failsWith = (code: BmcErrorCode, words: RegExp) => (error: unknown) => {
  assert.ok(isBmcError(error, code), String(error));
  assert.match(error.message, words);
  return true;
};

test('an iDRAC gets a multipart push on reset, disruptive, and the job is told from the task', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  const location = `${tasks}/JID_467696020275`;
  let parameters: JsonObject = {};
  gate.on('POST /redfish/v1/UpdateService/MultipartUpload', async (request) => {
    ({ parameters } = await readUpload(request));
    return { status: 202, headers: { location } };
  });
  const started = await startInstall(bmc, order('bios'));
  assert.deepEqual(started, {
    via: 'multipart',
    taskUri: location,
    jobUri: '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs/JID_467696020275',
    startedAt: bmc.clock.now(),
    component: 'bios',
    applyTime: 'OnReset',
  });
  assert.deepEqual(parameters, { Targets: [], '@Redfish.OperationApplyTime': 'OnReset', Oem: {} });
  assert.deepEqual(
    posts(gate).map(({ isDisruptive }) => isDisruptive),
    [true],
  );
  assert.equal(posts(gate)[0]?.headers?.['If-Match'], undefined);
});

test("the iDRAC's own update is asked for at once", async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  gate.on('POST /redfish/v1/UpdateService/MultipartUpload', () => ({ status: 202 }));
  assert.equal((await startInstall(bmc, order('bmc'))).applyTime, 'Immediate');
});

test('an iDRAC with an unfinished job of the component is not given a second one', async () => {
  const job = (Name: string, JobState: string) => ({
    Name,
    TaskState: 'Starting',
    TaskStatus: 'OK',
    Oem: { Dell: { JobState, JobType: 'FirmwareUpdate', Name } },
  });
  const tree = withTasks(dellTree, { JID_1: job('Firmware Update: BIOS', 'Scheduled') });
  const blocked = createScriptedBmc({ tree });
  await assert.rejects(
    startInstall(blocked.bmc, order('bios')),
    failsWith('blocked', /JID_1 .*Scheduled.*clear the job/),
  );
  assert.equal(posts(blocked.gate).length, 0);
  // Another component's job, and one that ended, are no obstacles.
  for (const other of [job('Firmware Update: Network', 'Scheduled'), job('Firmware Update: BIOS', 'Completed')]) {
    const { bmc, gate } = createScriptedBmc({ tree: withTasks(dellTree, { JID_1: other }) });
    gate.on('POST /redfish/v1/UpdateService/MultipartUpload', () => ({ status: 202 }));
    await startInstall(bmc, order('bios'));
    assert.equal(posts(gate).length, 1);
  }
});

test('a raw push to an iDRAC that only stores the image is followed by SimpleUpdate from there', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  const stored = '/redfish/v1/UpdateService/FirmwareInventory/Available-159-2.10.2';
  gate.on('POST /redfish/v1/UpdateService/FirmwareInventory', async (request) => {
    const { bytes, contentType } = await readUpload(request);
    assert.equal(`${contentType} ${bytes}`, 'application/octet-stream FIRMWARE');
    return { status: 201, headers: { location: stored } };
  });
  gate.on('POST /redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate', ({ body }) => {
    assert.equal((body as JsonObject).ImageURI, stored);
    return { status: 202, headers: { location: `${tasks}/JID_5` } };
  });
  const started = await startInstall(bmc, order('bios', { via: 'push' }));
  assert.equal(started.taskUri, `${tasks}/JID_5`);
});

test('an iLO 5 cannot be pushed to and pulls; it is told only what it advertises', async () => {
  const served = { uri: 'https://user:pa%40ss@files.example/ilo5.bin' };
  const { bmc, gate } = createScriptedBmc({ tree: hpeTree });
  await assert.rejects(startInstall(bmc, order('bmc')), failsWith('unsupported', /serve the image/));
  await assert.rejects(startInstall(bmc, order('bmc', { via: 'push' })), failsWith('unsupported', /web pages/));
  const target = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate/';
  gate.on(`POST ${target}`, () => ({ status: 200, body: { TaskMonitor: '/redfish/v1/TaskService/TaskMonitors/3' } }));
  const started = await startInstall(bmc, order('bmc', { served }));
  assert.equal(started.via, 'pull');
  assert.equal(started.taskUri, `${tasks}/3`);
  assert.equal(started.monitorUri, '/redfish/v1/TaskService/TaskMonitors/3');
  const body = JSON.parse(JSON.stringify(posts(gate)[0]?.body));
  const expected = {
    ImageURI: 'https://files.example/ilo5.bin',
    TransferProtocol: 'HTTPS',
    Username: 'user',
    Password: 'pa@ss',
  };
  assert.deepEqual(body, expected);
  assert.doesNotMatch(JSON.stringify(started), /pa@ss|pa%40ss/);
});

test('a protocol that the BMC does not know is refused with those it knows', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: lenovoTree });
  const pulled = order('bmc', { image: { uri: 'http://files.example/x.uxz' } });
  await assert.rejects(startInstall(bmc, pulled), failsWith('unsupported', /http:\/\/.*TFTP, SFTP/));
  const target = 'POST /redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate';
  gate.on(target, () => ({ status: 202 }));
  await startInstall(bmc, order('bmc', { image: { uri: 'sftp://files.example/x.uxz', username: 'u', password: 'p' } }));
  assert.equal(bodyOf(posts(gate)[0]).TransferProtocol, 'SFTP');
});

test('a BMC that misses the protocol although it did not ask for it is told once', async () => {
  const service = { Actions: { '#UpdateService.SimpleUpdate': { target: '/simple' } } };
  const { bmc, gate } = createScriptedBmc({ tree: { ...dellTree, '/redfish/v1/UpdateService': service } });
  const refusal = {
    error: {
      '@Message.ExtendedInfo': [
        {
          MessageId: 'Base.1.5.ActionParameterMissing',
          Message: 'TransferProtocol is missing',
          MessageArgs: ['TransferProtocol'],
        },
      ],
    },
  };
  gate.once('POST /simple', () => ({ status: 400, body: refusal }));
  gate.on('POST /simple', () => ({ status: 202 }));
  await startInstall(bmc, order('nic', { image: { uri: 'http://files.example/nic.bin' } }));
  const bodies = posts(gate).map(({ body }) => JSON.parse(JSON.stringify(body)));
  assert.deepEqual(bodies, [
    { ImageURI: 'http://files.example/nic.bin' },
    { ImageURI: 'http://files.example/nic.bin', TransferProtocol: 'HTTP' },
  ]);
});

test('a BMC of several systems wants targets', async () => {
  const systems = collectionOf('/redfish/v1/Systems', 'a', 'b');
  const { bmc, gate } = createScriptedBmc({ tree: { ...dellTree, '/redfish/v1/Systems': systems } });
  const pulled = order('bios', { image: { uri: 'http://files.example/x' } });
  await assert.rejects(startInstall(bmc, pulled), failsWith('blocked', /2 systems: name the targets/));
  gate.on('POST /redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate', () => ({ status: 202 }));
  const targets = ['/redfish/v1/UpdateService/FirmwareInventory/BIOS'];
  await startInstall(bmc, { ...pulled, targets });
  assert.deepEqual(bodyOf(posts(gate).at(-1)).Targets, targets);
});

test('a raw push to an XCC is claimed before with its ETag and given back after, also when it fails', async () => {
  for (const status of [202, 400]) {
    const { bmc, gate } = createScriptedBmc({ tree: lenovoTree });
    gate.on('GET /redfish/v1/UpdateService', () => ({
      body: gate.tree.get('/redfish/v1/UpdateService') ?? {},
      etag: '"e1"',
    }));
    let busyAtPush: unknown;
    gate.on('POST /fwupdate', () => {
      busyAtPush = gate.tree.get('/redfish/v1/UpdateService')?.HttpPushUriTargetsBusy;
      return { status };
    });
    const targets = ['/redfish/v1/UpdateService/FirmwareInventory/BMC-Backup'];
    const start = startInstall(bmc, order('bmc', { via: 'push', targets }));
    if (status === 202) assert.equal((await start).taskUri, undefined);
    else await assert.rejects(start, failsWith('refused', /400/));
    assert.equal(busyAtPush, true);
    const patches = gate.sent.filter(({ method }) => method === 'PATCH');
    assert.deepEqual(
      patches.map(({ body }) => body),
      [
        { HttpPushUriTargets: targets, HttpPushUriTargetsBusy: true },
        { HttpPushUriTargets: [], HttpPushUriTargetsBusy: false },
      ],
    );
    assert.deepEqual(
      patches.map(({ headers }) => headers?.['If-Match']),
      ['"e1"', '"e1"'],
    );
  }
});

test('an XCC that another client has claimed is left alone', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: lenovoTree });
  gate.change('/redfish/v1/UpdateService', { HttpPushUriTargetsBusy: true });
  await assert.rejects(startInstall(bmc, order('bmc', { via: 'push' })), failsWith('blocked', /claimed/));
  assert.deepEqual(
    gate.sent.filter(({ method }) => method !== 'GET'),
    [],
  );
});

test('an X12 is given the image, checks it, and is then told to start; what to keep is said', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: supermicroTree });
  const accepted = (id: string) => ({
    status: 202,
    body: { Accepted: { '@Message.ExtendedInfo': [{ MessageArgs: [`${tasks}/${id}`] }] } },
  });
  let parameters: JsonObject = {};
  gate.on('POST /redfish/v1/UpdateService/upload', async (request) => {
    ({ parameters } = await readUpload(request));
    gate.tree.set(`${tasks}/1`, { Name: 'BIOS Verify', TaskState: 'Running', TaskStatus: 'OK', PercentComplete: 0 });
    return accepted('1');
  });
  gate.once(`GET ${tasks}/1`, () => ({ body: gate.tree.get(`${tasks}/1`) ?? {} }));
  gate.on(`GET ${tasks}/1`, () => ({ body: { Name: 'BIOS Verify', TaskState: 'Completed', TaskStatus: 'OK' } }));
  gate.on('POST /redfish/v1/UpdateService/Actions/UpdateService.StartUpdate', () => accepted('2'));
  const stored: unknown[] = [];
  const started = await startInstall(bmc, order('bios'), {
    onUploaded: async (uploaded) => void stored.push(uploaded),
  });
  assert.deepEqual(parameters, {
    Targets: ['/redfish/v1/Systems/1/Bios'],
    '@Redfish.OperationApplyTime': 'OnStartUpdateRequest',
    Oem: {
      Supermicro: {
        BIOS: {
          PreserveME: false,
          PreserveNVRAM: false,
          PreserveSMBIOS: true,
          PreserveOA: true,
          PreserveSETUPCONF: true,
          PreserveSETUPPWD: true,
          PreserveSECBOOTKEY: true,
          PreserveBOOTCONF: true,
        },
      },
    },
  });
  assert.equal(started.taskUri, `${tasks}/2`);
  assert.equal(started.startTarget, undefined);
  assert.deepEqual(stored.length, 1);
  assert.equal((stored[0] as JsonObject).startTarget, '/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate');
  assert.deepEqual(
    posts(gate).map(({ isDisruptive }) => isDisruptive),
    [true, true],
  );
});

test('an X12 whose check of the image fails is not told to start', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: supermicroTree });
  gate.on('POST /redfish/v1/UpdateService/upload', () => ({ status: 202, headers: { location: `${tasks}/1` } }));
  const Messages = [{ MessageId: 'Update.1.0.ApplyFailed', Message: 'Error verifying image', Severity: 'Warning' }];
  gate.on(`GET ${tasks}/1`, () => ({
    body: { Name: 'BMC Verify', TaskState: 'Exception', TaskStatus: 'Warning', Messages },
  }));
  await assert.rejects(startInstall(bmc, order('bmc')), failsWith('taskFailed', /Error verifying image/));
  assert.equal(posts(gate).length, 1);
});

test('an X12 that is stuck in update mode, or without its licence, says what to do', async () => {
  const refused = (MessageId: string) => ({
    status: 405,
    body: { error: { '@Message.ExtendedInfo': [{ MessageId, Message: 'no', Severity: 'Warning' }] } },
  });
  const { bmc, gate } = createScriptedBmc({ tree: supermicroTree });
  gate.once('POST /redfish/v1/UpdateService/upload', () => refused('SMC.1.0.OemFirmwareAlreadyInUpdateMode'));
  await assert.rejects(startInstall(bmc, order('bmc')), failsWith('blocked', /reset the BMC/));
  gate.once('POST /redfish/v1/UpdateService/upload', () => refused('SMC.1.0.OemLicenseNotPassed'));
  await assert.rejects(startInstall(bmc, order('bios')), failsWith('refused', /licence/));
});

test('an X12 that still works on another image is left alone', async () => {
  const tree = withTasks(supermicroTree, { 4: { Name: 'BMC Update', TaskState: 'Running', TaskStatus: 'OK' } });
  const { bmc, gate } = createScriptedBmc({ tree });
  await assert.rejects(startInstall(bmc, order('bmc')), failsWith('blocked', /BMC Update/));
  assert.equal(posts(gate).length, 0);
});

test('an OpenBMC writes the BIOS only while the host is off', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  gate.on('POST /redfish/v1/UpdateService/update-multipart', () => ({
    status: 202,
    headers: { location: `${tasks}/12/Monitor` },
  }));
  assert.equal((await startInstall(bmc, order('bios'))).taskUri, `${tasks}/12`);
  gate.change('/redfish/v1/Systems/system', { PowerState: 'On' });
  await assert.rejects(startInstall(bmc, order('bios')), failsWith('blocked', /host is On; switch it off/));
  assert.equal(posts(gate).length, 1);
});

test('an OpenBMC is told what its own image is for, and to force it if so ordered', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  let parameters: JsonObject = {};
  gate.on('POST /redfish/v1/UpdateService/update-multipart', async (request) => {
    ({ parameters } = await readUpload(request));
    return { status: 202 };
  });
  await startInstall(bmc, order('bmc', { isForced: true }));
  assert.deepEqual(parameters, {
    Targets: ['/redfish/v1/Managers/bmc'],
    '@Redfish.OperationApplyTime': 'Immediate',
    ForceUpdate: true,
    Oem: {},
  });
});

test('a raw push to an OpenBMC sets the applying time before where it differs', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  gate.on('POST /redfish/v1/UpdateService/update', () => ({ status: 202 }));
  await startInstall(bmc, order('bmc', { via: 'push' }));
  const patches = gate.sent.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
  assert.deepEqual(patches, [{ HttpPushUriOptions: { HttpPushUriApplyTime: { ApplyTime: 'Immediate' } } }]);
  await startInstall(bmc, order('bmc', { via: 'push', applyTime: 'OnReset' }));
  assert.equal(gate.sent.filter(({ method }) => method === 'PATCH').length, 2);
});
