import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import type {
  BareMetalHost,
  FirmwareSchema,
  HostFirmwareComponents,
  HostFirmwareSettings,
  ServerFirmware,
} from '../../src/api/index.ts';
import { createClient, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { type CliProcess, runCli, startUp, temporaryFolder } from './cli-fixture.ts';
import { until } from './hosts-lock-rig.ts';

const name = 'r01-s01';
const key = { namespace: 'simulated', name };
const rebootOnce = 'reboot.metal3.io';
const metal3 = (resource: string, kind: string) =>
  ({ group: 'metal3.io', version: 'v1alpha1', namespaced: true, resource, kind }) as const;
const firmwaresRef = {
  ...{ group: 'metal.ironcore.dev', version: 'v1alpha1', resource: 'serverfirmwares', kind: 'ServerFirmware' },
  namespaced: false,
};

describe('a provisioned host without a HostUpdatePolicy', () => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  let up: CliProcess;
  let client: KubeClient;
  let machine = '';
  let disturbed = 0;
  before(async () => {
    up = await startUp(dataDir, ['--simulate', '1', '--speed', '2000', '--provisioner', 'redfish']);
    client = await createClient({ kubeconfig: join(dataDir, 'kubeconfig') });
  });
  after(async () => {
    await client.close();
    await up.end('SIGKILL');
    folder.remove();
  });

  const hosts = () => client.resource<BareMetalHost & KubeObject>(metal3('baremetalhosts', 'BareMetalHost'));
  const settingsAt = () =>
    client.resource<HostFirmwareSettings & KubeObject>(metal3('hostfirmwaresettings', 'HostFirmwareSettings'));
  const componentsAt = () =>
    client.resource<HostFirmwareComponents & KubeObject>(metal3('hostfirmwarecomponents', 'HostFirmwareComponents'));
  const firmwares = () => client.resource<ServerFirmware & KubeObject>(firmwaresRef);

  /** What its BMC did to the host and to its firmware, by its own log. */
  const deeds = async (): Promise<string[]> => {
    const { out, code, err } = await runCli(['simulate', 'log', name, '--data-dir', dataDir]);
    assert.equal(code, 0, err);
    return out.split('\n').filter((line) => / (power|update|bios)\.\S+/.test(line));
  };
  const checkUndisturbed = async () => assert.equal((await deeds()).length, disturbed, (await deeds()).join('\n'));
  const ask = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const { url } = JSON.parse(readFileSync(join(dataDir, 'rest.json'), 'utf8')) as { url: string };
    const agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
    const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
    const answer = await request(`${url}${path}`, {
      ...{ dispatcher: agent, method: body === undefined ? 'GET' : 'POST' },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    await agent.close();
    assert.ok(answer.statusCode < 300, `${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const psu = { name: 'psu', version: '00.17.28' };

  test('runs what its owner gave it', async () => {
    const image = { url: 'http://127.0.0.1:9/live.iso', format: 'live-iso' };
    await hosts().patch(key, { type: 'merge', body: { spec: { online: true, image } } });
    await until('the host is provisioned and on', async () => {
      const { status } = await hosts().get(key);
      return status?.provisioning.state === 'provisioned' && status.poweredOn === true;
    });
    await until('its firmware is known by every door', async () => {
      const [hfs, hfc] = [await settingsAt().list(), await componentsAt().list()];
      const [firmware] = (await firmwares().list()).items;
      const isRead = hfs.items[0]?.status?.schema !== undefined && hfc.items[0]?.status?.lastUpdated !== undefined;
      return isRead && firmware?.status?.lastScanTime !== undefined;
    });
    machine = (await hosts().get(key)).status?.provisioning.ID ?? '';
    disturbed = (await deeds()).length;
  });

  test('is not changed by what its own firmware objects want, and says why', async () => {
    const { status } = await settingsAt().get(key);
    const schemas = client.resource<FirmwareSchema & KubeObject>(metal3('firmwareschemas', 'FirmwareSchema'));
    const { spec } = await schemas.get({ namespace: key.namespace, name: status?.schema?.name ?? '' });
    const [setting, { allowable_values: values = [] }] =
      Object.entries(spec?.schema ?? {}).find(
        ([, { read_only, allowable_values = [] }]) => read_only !== true && allowable_values.length > 1,
      ) ?? assert.fail('there is no setting to change');
    const value = values.find((each) => each !== status?.settings?.[setting]) ?? '';
    await settingsAt().patch(key, { type: 'merge', body: { spec: { settings: { [setting]: value } } } });
    // An image that can be had: any other is refused when it is specified, whatever the host is used for.
    const { records } = await ask('/api/v1/server-component-firmwares?limit=200');
    const all = records as { component: string; repository_url: string }[];
    const image = all.find(({ component }) => component === 'bios') ?? assert.fail('the catalogue has no BIOS');
    const updates = [{ component: 'bios', url: image.repository_url }];
    await componentsAt().patch(key, { type: 'merge', body: { spec: { updates } } });
    const told = async () => (await hosts().get(key)).status?.conditions?.find(({ type }) => type === 'LiveUpdates');
    await until('the host says why', async () => /firmware of bios/.test((await told())?.message ?? ''));
    assert.deepEqual([(await told())?.status, (await told())?.reason], ['False', 'HostInUse']);
    await checkUndisturbed();
  });

  for (const [kind, parameters] of [
    ['biosControl', { action: 'reset_config' }],
    ['powerCycleHard', {}],
    ['powerOff', { force: true }],
  ] as const) {
    test(`is not disturbed by the condition ${kind}, which says why it waits`, async () => {
      await ask(`/api/v1/servers/${machine}/condition/${kind}`, { parameters });
      let seen: { readonly state?: string; readonly reason?: { readonly code?: string } | null } | undefined;
      await until(`the ${kind} says why it waits`, async () => {
        const { records } = await ask(`/api/v1/servers/${machine}/condition?kind=${kind}`);
        seen = (records as { conditions: (typeof seen)[] }).conditions[0];
        return seen?.reason?.code === 'HostInUse';
      });
      assert.equal(seen?.state, 'pending');
      await checkUndisturbed();
    });
  }

  test('is looked at by a dry run, which does not wait', async () => {
    const words = ['install-firmware', name, '--set', 'latest', '--dry-run', '--data-dir', dataDir];
    const { out, code, err } = await runCli(words);
    assert.equal(code, 0, `${out}${err}`);
    assert.match(out, /dry run: \w+ could be installed/);
    await checkUndisturbed();
  });

  test('is not flashed by the update service, whose job says why it waits', async () => {
    const rpc = '/rackwright.update.v1.UpdateService';
    const order = { server: { name: machine }, firmwares: [psu] };
    const { status, jobId } = await ask(`${rpc}/Update`, order);
    assert.equal(status, 'REQUEST_STATUS_SCHEDULED');
    await until('the job says why it waits', async () => {
      const { job } = (await ask(`${rpc}/GetJob`, { jobId })) as { job?: { reason?: string } };
      return job?.reason === 'HostInUse';
    });
    await checkUndisturbed();
  });

  test('is not flashed for its ServerFirmware, which says why', async () => {
    const [firmware = assert.fail()] = (await firmwares().list()).items;
    const installed = firmware.status?.firmwares?.find((each) => each.name === 'psu') ?? assert.fail('it has no psu');
    // As the job that waits already: another choice of parts would be another update, and a conflict.
    const wanted = [{ name: psu.name, manufacturer: installed.manufacturer, version: psu.version }];
    const which = { name: firmware.metadata.name ?? '' };
    await firmwares().patch(which, { type: 'merge', body: { spec: { firmwares: wanted } } });
    await until('it says why', async () => {
      const { status } = await firmwares().get(which);
      return status?.conditions?.find(({ type }) => type === 'Progressing')?.reason === 'HostInUse';
    });
    await checkUndisturbed();
  });

  test('is only rebooted when its owner asks for a reboot: nothing of all that is done by the way', async () => {
    const before = await deeds();
    await hosts().patch(key, { type: 'merge', body: { metadata: { annotations: { [rebootOnce]: '' } } } });
    let done: string[] = [];
    await until('it was rebooted', async () => {
      const { metadata, status } = await hosts().get(key);
      done = (await deeds()).slice(before.length);
      const isOver = metadata.annotations?.[rebootOnce] === undefined && status?.poweredOn === true;
      return isOver && / power\.(on|reset)/.test(done.at(-1) ?? '');
    });
    assert.deepEqual(
      done.filter((line) => !/ power\./.test(line)),
      [],
    );
    const { status } = await hosts().get(key);
    assert.deepEqual([status?.operationalStatus, status?.operationHistory?.service?.start ?? null], ['OK', null]);
    for (const kind of ['biosControl', 'powerCycleHard', 'powerOff', 'firmwareInstall']) {
      const { records } = await ask(`/api/v1/servers/${machine}/condition?kind=${kind}`);
      const [seen] = (records as { conditions: { state: string; reason: { code: string } | null }[] }).conditions;
      assert.deepEqual([kind, seen?.state, seen?.reason?.code], [kind, 'pending', 'HostInUse']);
    }
  });
});
