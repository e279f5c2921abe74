import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ironcoreApiVersion } from '../../api/index.ts';
import { type AdmissionRequest, allowed, createMayDo, type KubeObject } from '../../kube/index.ts';
import {
  type ApiRig,
  type ControllerRig,
  fw,
  putFirmware,
  putGroup,
  putServer,
  startApi,
  startControllers,
  until,
} from '../testing/rig.ts';
import {
  admitBmc,
  admitDiscovered,
  admitFirmware,
  admitGroup,
  admitServer,
  createFirmwareAdmission,
} from './firmware-rules.ts';

const firmwares = [fw('nic', '1')];

describe('what is refused before it is stored', () => {
  let api: ApiRig;
  let rig: ControllerRig;
  before(async () => {
    const admission = createFirmwareAdmission();
    api = await startApi(admission.rules);
    rig = await startControllers(api);
    const { fleet, informers } = rig.controllers;
    admission.attach({ fleet, discovered: informers.discovered }, createMayDo(api.client));
  });
  after(async () => {
    await rig?.stop();
    await api?.close();
  });

  test('a second ServerFirmware for one server', async () => {
    await putServer(api, 's1');
    await putFirmware(api, 's1');
    await until(api.firmwares, 's1', ({ status }) => status?.conditions !== undefined);
    await assert.rejects(putFirmware(api, 'other', { server: 's1' }), /ServerFirmware s1 is about Server s1 already/);
  });

  const absurd: [string, Parameters<typeof putFirmware>[2], RegExp][] = [
    ['a version with a line break in it', { spec: { firmwares: [fw('ssd', '1\n2')] } }, /control characters/],
    ['a version of nothing but dots', { spec: { firmwares: [fw('ssd', '...')] } }, /neither a letter nor a digit/],
    ['a version that is a path', { spec: { bios: { version: '../../etc/passwd' } } }, /a path and not a version/],
    ['one firmware written twice', { spec: { firmwares: [fw('ssd', '1'), fw('SSD', '2')] } }, /the same firmware/],
    [
      'one firmware under two names',
      { spec: { firmwares: [fw('ssd', '1'), fw('nic', '1'), fw('drive', '2', 'Acme Inc.')] } },
      /spec\.firmwares\[2\].*same firmware as spec\.firmwares\[0\], ssd of ACME/,
    ],
    ['a threshold without a pause', { spec: { scanThreshold: '1ns' } }, /at least 1 s/],
    ['a threshold of ages', { spec: { scanThreshold: '9999999h' } }, /at most ten years/],
  ];
  for (const [what, draft, why] of absurd) {
    test(what, async () => {
      await assert.rejects(putFirmware(api, 'absurd', draft), why);
      await assert.rejects(api.firmwares.get({ name: 'absurd' }), { code: 404 });
    });
  }

  test('a group whose selector overlaps with another as it is written', async () => {
    await putGroup(api, 'g', { serverSelector: { matchLabels: { env: 'prod' } }, firmwares });
    await until(api.groups, 'g', ({ status }) => status?.serversInGroup !== undefined);
    const refuse = (serverSelector: object) =>
      assert.rejects(putGroup(api, 'h', { serverSelector, firmwares }), /intersects with the selector of the group g/);
    await refuse({ matchLabels: { env: 'prod' } });
    await refuse({ matchLabels: { env: 'prod', rack: 'r1' } });
    await refuse({ matchExpressions: [{ key: 'env', operator: 'In', values: ['prod', 'stage'] }] });
    await refuse({ matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['stage'] }] });
    await refuse({});
    await putGroup(api, 'stage', { serverSelector: { matchLabels: { env: 'stage' } }, firmwares });
  });

  test('a group that selects a server of another today, and a change that would', async () => {
    await putServer(api, 's2');
    await putFirmware(api, 's2', { labels: { env: 'prod', rack: 'r2' } });
    await until(api.groups, 'g', ({ status }) => status?.serversInGroup === 1);
    const r2 = { serverSelector: { matchLabels: { rack: 'r2' } } };
    await assert.rejects(putGroup(api, 'r2', { ...r2, firmwares }), /the group g also selects s2/);
    await putGroup(api, 'r3', { serverSelector: { matchLabels: { rack: 'r3' } }, firmwares });
    const change = (spec: object) => api.groups.patch({ name: 'r3' }, { type: 'merge', body: { spec } });
    await assert.rejects(change(r2), /the group g also selects s2/);
    await change({ firmwares: [fw('ssd', '1')] });
  });

  test('a second DiscoveredFirmware of a model, in any spelling, and one that asks without a pause', async () => {
    const create = (name: string, spec: object) =>
      api.discovered.create({
        apiVersion: ironcoreApiVersion,
        kind: 'DiscoveredFirmware',
        metadata: { name },
        spec: { manufacturer: 'Dell Inc.', model: 'PowerEdge R750', ...spec },
      });
    await create('r750', {});
    await until(api.discovered, 'r750', ({ status }) => status?.conditions !== undefined);
    const again = create('again', { manufacturer: 'Dell', model: 'poweredge r750' });
    await assert.rejects(again, /DiscoveredFirmware r750 is about/);
    await assert.rejects(create('fast', { model: 'X', discoveryInterval: '1s' }), /at least 60 s/);
  });

  test('a number of versions to store that is none', async () => {
    for (const versionsToStore of [-1, 0, 1.5, 1_000_000]) {
      const spec = { manufacturer: 'HPE', model: 'DL360', versionsToStore };
      const object = {
        apiVersion: ironcoreApiVersion,
        kind: 'DiscoveredFirmware',
        metadata: { name: 'few' },
        spec,
      } as const;
      await assert.rejects(api.discovered.create(object), /versionsToStore/);
    }
    await assert.rejects(api.discovered.get({ name: 'few' }), { code: 404 });
  });

  test('a group with one firmware under two names, and one with a version that is none', async () => {
    const serverSelector = { matchLabels: { group: 'absurd' } };
    const twice = putGroup(api, 'absurd', {
      serverSelector,
      firmwares: [fw('raid', '1'), fw('Storage Controller', '2')],
    });
    await assert.rejects(twice, /the same firmware as spec\.firmwares\[0\], raid of ACME/);
    await assert.rejects(putGroup(api, 'absurd', { serverSelector, firmwares: [fw('nic', '../1')] }), /a path/);
    await assert.rejects(api.groups.get({ name: 'absurd' }), { code: 404 });
  });

  test('a group of a manufacturer or model that nobody could have meant', async () => {
    const draft = { serverSelector: { matchLabels: { group: 'absurd' } }, firmwares };
    await assert.rejects(putGroup(api, 'absurd', { ...draft, manufacturer: ' ' }), /spec\.manufacturer.*space/);
    await assert.rejects(putGroup(api, 'absurd', { ...draft, model: 'R\n750' }), /spec\.model.*control characters/);
    await assert.rejects(api.groups.get({ name: 'absurd' }), { code: 404 });
  });

  test('a new group that wants nothing; one that is emptied takes back what it wrote', async () => {
    const serverSelector = { matchLabels: { group: 'empty' } };
    for (const nothing of [{}, { firmwares: [] }]) {
      await assert.rejects(putGroup(api, 'empty', { serverSelector, ...nothing }), /spec\.firmwares.*name a firmware/);
    }
    await assert.rejects(api.groups.get({ name: 'empty' }), { code: 404 });
    await putServer(api, 's3');
    await putFirmware(api, 's3', { labels: { group: 'empty' } });
    await putGroup(api, 'empty', { serverSelector, firmwares });
    await until(api.firmwares, 's3', ({ spec }) => spec.firmwares?.length === 1);
    const change = (body: object) => api.groups.patch({ name: 'empty' }, { type: 'merge', body });
    await change({ spec: { firmwares: [] } });
    await until(api.firmwares, 's3', ({ spec }) => (spec.firmwares ?? []).length === 0);
    await change({ metadata: { labels: { still: 'changeable' } } });
  });

  test('an unknown server is accepted with a warning, and waits', async () => {
    await putFirmware(api, 'nowhere');
    const waiting = await until(api.firmwares, 'nowhere', ({ status }) => status?.conditions !== undefined);
    const progressing = waiting.status?.conditions?.find(({ type }) => type === 'Progressing');
    assert.equal(progressing?.reason, 'ServerNotFound');
    assert.match(progressing?.message ?? '', /there is no Server nowhere; nothing happens until there is/);
    assert.deepEqual(
      rig.service.asked.filter(({ request }) => 'server' in request && request.server.name === 'nowhere'),
      [],
    );
  });
});

test('who empties a group is warned, and who changes an empty one is not', () => {
  const group = (entries: object[]) =>
    ({ metadata: { name: 'g' }, spec: { serverSelector: {}, firmwares: entries } }) as unknown as KubeObject;
  const admit = (oldObject: KubeObject, object: KubeObject) =>
    admitGroup({ operation: 'UPDATE', oldObject, object } as unknown as AdmissionRequest, undefined);
  const warned = allowed('the group wants nothing any more: its servers lose its entries');
  assert.deepEqual(admit(group(firmwares), group([])), warned);
  assert.deepEqual(admit(group([]), group([])), allowed());
});

test('an object that was stored with what is refused today can be labelled, annotated and kept, and not made worse', () => {
  const entries = [fw('ssd', '1'), fw('drive', '2')];
  const bad: [typeof admitGroup, object, object][] = [
    [admitFirmware, { serverRef: { name: 's' }, firmwares: entries }, { scanThreshold: '1h' }],
    [admitGroup, { manufacturer: ' ', model: 'm', serverSelector: {}, firmwares: entries }, { paused: true }],
    [admitDiscovered, { manufacturer: '-', model: 'm', discoveryInterval: '1s' }, { versionsToStore: 2 }],
  ];
  for (const [admit, spec, change] of bad) {
    const object = (more: object, finalizers: string[] = []) => ({
      metadata: { name: 'x', finalizers },
      spec: { ...spec, ...more },
    });
    const judge = (after: object) =>
      admit({ operation: 'UPDATE', oldObject: object({}), object: after } as unknown as AdmissionRequest, undefined);
    assert.equal(judge(object({}, ['kept'])).kind, 'allowed');
    assert.equal(judge(object(change)).kind, 'denied');
  }
});

describe('where objects say that their BMC is', () => {
  const protocol = { name: 'Redfish', port: 443 } as const;
  const secret = { bmcSecretRef: { name: 's' } };
  const requestOf = (kind: string, spec: unknown): AdmissionRequest => {
    const object = { apiVersion: ironcoreApiVersion, kind, metadata: { name: 'new' }, spec };
    return { operation: 'CREATE', object } as unknown as AdmissionRequest;
  };
  const bmcAt = (ip: string, more: object = {}) => ({ access: { ip }, protocol: { ...protocol, ...more }, ...secret });

  for (const address of ['10.0.0', '10.0.0.7:443', 'https://10.0.0.7', 'b mc', 'root@bmc', 'bmc/x', '[fd00::7', '']) {
    test(`${JSON.stringify(address)} is refused with what a right one looks like`, () => {
      const server = requestOf('Server', { systemUUID: 'x', bmc: { address, protocol, ...secret } });
      for (const verdict of [admitServer(server), admitBmc(requestOf('BMC', bmcAt(address)), undefined)]) {
        assert.equal(verdict.kind, 'denied');
        assert.match(JSON.stringify(verdict), /no host name or IP address; write it like 10\.0\.0\.7, fd00::7 or/);
      }
    });
  }

  for (const address of ['10.0.0.7', 'fd00::7', '[fd00::7]', 'BMC7.example', 'bücher.example', 'fe80::1%eth0']) {
    test(`${address} is taken`, () => {
      const bmc = { address, protocol, ...secret };
      const of = (systemURI?: string) => admitServer(requestOf('Server', { systemUUID: 'x', bmc, systemURI }));
      assert.equal(of().kind, 'allowed');
      assert.equal(of('/redfish/v1/Systems/1').kind, 'allowed');
      assert.match(JSON.stringify(of('Systems/1')), /is no path of a system/);
    });
  }
});
