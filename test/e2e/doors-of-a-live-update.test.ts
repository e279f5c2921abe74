import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import {
  type BareMetalHost,
  type HostFirmwareComponents,
  type HostUpdatePolicy,
  metal3ApiVersion,
  type ServerFirmware,
} from '../../src/api/index.ts';
import { createClient, type KubeClient, type KubeObject } from '../../src/kube/index.ts';
import { type CliProcess, runCli, startUp, temporaryFolder } from './cli-fixture.ts';
import { until } from './hosts-lock-rig.ts';

const name = 'r01-s01';
const key = { namespace: 'simulated', name };
const metal3 = (resource: string, kind: string) =>
  ({ group: 'metal3.io', version: 'v1alpha1', namespaced: true, resource, kind }) as const;
const firmwaresRef = {
  ...{ group: 'metal.ironcore.dev', version: 'v1alpha1', resource: 'serverfirmwares', kind: 'ServerFirmware' },
  namespaced: false,
};

interface Install {
  readonly client: string;
  readonly state: string;
  readonly status: { readonly actions?: readonly { readonly component: string; readonly version: string }[] };
}

describe('a BIOS that a host and the ServerFirmware of its machine both want', () => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  let up: CliProcess;
  let client: KubeClient;
  let image = { version: '', url: '' };
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
  const policies = () =>
    client.resource<HostUpdatePolicy & KubeObject>(metal3('hostupdatepolicies', 'HostUpdatePolicy'));
  const components = () =>
    client.resource<HostFirmwareComponents & KubeObject>(metal3('hostfirmwarecomponents', 'HostFirmwareComponents'));
  const firmwares = () => client.resource<ServerFirmware & KubeObject>(firmwaresRef);
  const firmware = async () => (await firmwares().list()).items[0];
  const conditionOf = ({ status }: BareMetalHost | ServerFirmware, type: string) =>
    status?.conditions?.find((each) => each.type === type);

  const read = async (path: string): Promise<{ readonly records: unknown }> => {
    const { url } = JSON.parse(readFileSync(join(dataDir, 'rest.json'), 'utf8')) as { url: string };
    const agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8') } });
    const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
    const answer = await request(`${url}${path}`, { dispatcher: agent, headers: { authorization: `Bearer ${token}` } });
    const text = await answer.body.text();
    await agent.close();
    assert.equal(answer.statusCode, 200, `${path}: ${text}`);
    return JSON.parse(text) as { readonly records: unknown };
  };
  /** How often its BMC has begun to write the BIOS, by its own log. */
  const flashes = async (): Promise<readonly string[]> => {
    const { out, code, err } = await runCli(['simulate', 'log', name, '--data-dir', dataDir]);
    assert.equal(code, 0, err);
    return out.split('\n').filter((line) => / update\.flash-begin/.test(line));
  };

  test('is wanted through both doors while the host is in use', async () => {
    const spec = { online: true, image: { url: 'http://127.0.0.1:9/live.iso', format: 'live-iso' } };
    await hosts().patch(key, { type: 'merge', body: { spec } });
    await until('the host is provisioned and on', async () => {
      const { status } = await hosts().get(key);
      return status?.provisioning.state === 'provisioned' && status.poweredOn === true;
    });
    await until('its firmware is known by both doors', async () => {
      const [companion] = (await components().list()).items;
      return companion?.status?.lastUpdated !== undefined && (await firmware())?.status?.lastScanTime !== undefined;
    });
    const { records } = await read('/api/v1/server-component-firmwares?limit=200');
    const all = records as { component: string; version: string; repository_url: string }[];
    const found = all.find(({ component }) => component === 'bios') ?? assert.fail('the catalogue has no BIOS');
    image = { version: found.version, url: found.repository_url };
    const wanting = (await firmware()) ?? assert.fail();
    assert.notEqual(wanting.status?.bios?.version, image.version);
    const body = { spec: { bios: { version: image.version } } };
    await firmwares().patch({ name: wanting.metadata.name ?? '' }, { type: 'merge', body });
    const updates = [{ component: 'bios', url: image.url }];
    await components().patch(key, { type: 'merge', body: { spec: { updates } } });
    await until('the ServerFirmware waits for the host', async () => {
      return conditionOf((await firmware()) ?? assert.fail(), 'Progressing')?.reason === 'HostInUse';
    });
    assert.deepEqual(await flashes(), []);
  });

  test('is written once in the live update that the owner of the host allows and asks for', async () => {
    await policies().create({
      ...{ apiVersion: metal3ApiVersion, kind: 'HostUpdatePolicy', metadata: key },
      spec: { firmwareUpdates: 'onReboot' },
    });
    await until('it waits for a reboot', async () => {
      return conditionOf(await hosts().get(key), 'LiveUpdates')?.reason === 'WaitsForReboot';
    });
    await hosts().patch(key, { type: 'merge', body: { metadata: { annotations: { 'reboot.metal3.io': '' } } } });
    await until('the live update has ended', async () => {
      const { status } = await hosts().get(key);
      return (status?.operationHistory?.service?.end ?? null) !== null && status?.operationalStatus === 'OK';
    });
    await until('the ServerFirmware has what it wants', async () => {
      const wanting = (await firmware()) ?? assert.fail();
      return wanting.status?.bios?.version === image.version && conditionOf(wanting, 'UpToDate')?.status === 'True';
    });
    const told = await components().get(key);
    assert.deepEqual(told.status?.updates, [{ component: 'bios', url: image.url }]);
    const bios = told.status?.components?.find(({ component }) => component === 'bios');
    assert.equal(bios?.currentVersion, image.version);
    assert.equal((await flashes()).length, 1, (await flashes()).join('\n'));
  });

  test('is in the history of the machine once', async () => {
    const machine = (await hosts().get(key)).status?.provisioning.ID ?? '';
    const { records } = await read(`/api/v1/servers/${machine}/conditions/history?kind=firmwareInstall`);
    const installs = records as readonly Install[];
    const seen = JSON.stringify(installs);
    assert.deepEqual(
      installs.map(({ state, client: who }) => [state, who.replace(/ .*/, '')]),
      [
        ['succeeded', 'BareMetalHost'],
        ['pending', 'update-service/controllers'],
      ],
      seen,
    );
    // What waited since before the reboot got in with nothing: only the attempt that the host began passes its lock.
    const { actions = [] } = installs[0]?.status ?? {};
    assert.deepEqual(
      actions.map(({ component, version }) => `${component} ${version}`),
      [`bios ${image.version}`],
      seen,
    );
  });
});
