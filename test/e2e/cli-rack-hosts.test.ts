import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type {
  BareMetalHost,
  BareMetalHostDiscovery,
  HostFirmwareComponents,
  HostFirmwareSettings,
} from '../../src/api/index.ts';
import { type CliProcess, type CliResult, runCli, startUp, switchHost, temporaryFolder } from './cli-fixture.ts';
import { askBmc } from './simulated-bmc.ts';
import { untilSo } from './work-services.ts';

const folder = temporaryFolder();
const dataDir = join(folder.path, 'data');
const allThere = 'Hosts of the rack: 6 available, 2 provisioned.';
let up: CliProcess;

const cli = (words: readonly string[], input = ''): Promise<CliResult> =>
  runCli([...words, '--data-dir', dataDir], { input });

async function out(...words: string[]): Promise<string> {
  const { code, out: printed, err } = await cli(words);
  assert.equal(code, 0, `${words.join(' ')}: ${err}`);
  return printed;
}

const read = async <T>(kind: string, name: string): Promise<T> =>
  JSON.parse(await out('get', kind, name, '-n', 'simulated', '-o', 'json')) as T;

/** Changes objects of the rack as a user does. */
async function apply(manifest: object): Promise<void> {
  const { code, err } = await cli(
    ['apply', '-f', '-', '-n', 'simulated', '--force-conflicts'],
    JSON.stringify(manifest),
  );
  assert.equal(code, 0, err);
}

const untilField = (what: string, path: string, value: string): Promise<string> =>
  out('wait', what, '-n', 'simulated', `--for=jsonpath={${path}}=${value}`, '--timeout=100s');

/** What the simulator says of a server: its power, and what runs on it. */
async function statusOf(server: string): Promise<string> {
  const line = (await out('simulate', 'status')).split('\n').find((each) => each.startsWith(`${server} `));
  return line?.split(/ {2,}/).slice(-2).join(', ') ?? assert.fail(server);
}

before(async () => {
  up = await startUp(dataDir);
  await up.until(allThere);
});
after(async () => {
  await up.end('SIGKILL');
  folder.remove();
});

describe('the hosts of the simulated rack', () => {
  test('come to be available and provisioned by themselves, and are shown as Metal3 shows them', async () => {
    const [head, ...rows] = (await out('get', 'bmh', '-n', 'simulated')).trimEnd().split('\n');
    assert.match(head ?? '', /^NAME +STATE +CONSUMER +ONLINE +ERROR +AGE$/);
    const seen = rows.map((row) => row.split(/ +/).slice(0, 3).join(' '));
    const available = [1, 2, 3, 4, 5, 6].map((number) => `r01-s0${number} available false`);
    assert.deepEqual(seen, [...available, 'r01-s07 provisioned true', 'r01-s08 provisioned true']);
    const wide = (await out('get', 'bmh', '-n', 'simulated', '-o', 'wide')).split('\n');
    assert.match(wide[0] ?? '', /^NAME +STATUS +STATE +CONSUMER +BMC +ONLINE +ERROR +AGE$/);
    assert.match(wide[1] ?? '', /^r01-s01 +OK +available +redfish-virtualmedia\+https:\S+ +false +\S+$/);
  });

  test('have what their servers have', async () => {
    const { status } = await read<BareMetalHost>('bmh', 'r01-s01');
    const { manufacturer, productName } = status?.hardware?.systemVendor ?? {};
    assert.match(`${manufacturer} ${productName}`, /^Dell Inc\. PowerEdge R750 \(SKU=/);
    assert.ok(status?.hardware?.nics?.some(({ lldp }) => lldp !== undefined));
    assert.ok((status?.hardware?.ramMebibytes ?? 0) > 0 && (status?.hardware?.storage?.length ?? 0) > 0);
    const { spec } = await read<BareMetalHost>('bmh', 'r01-s01');
    assert.equal(status?.hardware?.nics?.find(({ pxe }) => pxe)?.mac, spec?.bootMACAddress);
    assert.match(await out('get', 'hardwaredata', '-n', 'simulated', '-o', 'name'), /r01-s01/);
    // They are read beside what is done to the host.
    const look = (kind: string, path: string) =>
      cli(['get', kind, 'r01-s01', '-n', 'simulated', '-o', `jsonpath={${path}}`]);
    await untilSo(async () => (await look('hostfirmwaresettings', '.status.settings.ProcTurboMode')).out !== '');
    await untilSo(async () => (await look('hostfirmwarecomponents', '.status.components')).out !== '');
    const settings = await read<HostFirmwareSettings>('hostfirmwaresettings', 'r01-s01');
    assert.equal(settings.status?.settings?.ProcTurboMode, 'Enabled');
    const components = await read<HostFirmwareComponents>('hostfirmwarecomponents', 'r01-s01');
    const bios = components.status?.components?.find(({ component }) => component === 'bios')?.currentVersion;
    assert.equal(bios, status?.hardware?.firmware?.bios?.version);
  });

  test('are all registered: there is nothing to discover, and whatever comes would be', async () => {
    const metadata = { name: 'all', namespace: 'simulated' };
    const spec = { resourceNameTemplate: { hardwareDetails: 'serial-number' } };
    await apply({ apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHostDiscovery', metadata, spec });
    await untilField('bmhd/all', '.status.conditions[?(@.type=="Ready")].status', 'True');
    const { status } = await read<BareMetalHostDiscovery>('bmhd', 'all');
    assert.equal(status?.discoveredHosts ?? 0, 0);
    await out('delete', 'bmhd', 'all', '-n', 'simulated');
  });

  test('run what they were provisioned with, or nothing', async () => {
    // The operating system is there some simulated minutes after the power is.
    while ((await statusOf('r01-s07')) !== 'On, deployed image')
      await untilField('bmh/r01-s07', '.status.poweredOn', 'true');
    // The agent that told what it has goes off a moment later.
    await untilSo(async () => (await statusOf('r01-s01')) === 'Off, nothing');
  });

  test('are switched on and off by their owner', async () => {
    await switchHost({ dataDir, name: 'r01-s02', isOn: true });
    assert.match(await statusOf('r01-s02'), /^On, /);
    await switchHost({ dataDir, name: 'r01-s02', isOn: false });
    assert.match(await statusOf('r01-s02'), /^Off, /);
  });

  test('get a BIOS setting that is asked for, and are available again', async () => {
    const metadata = { name: 'r01-s01', namespace: 'simulated' };
    const spec = { settings: { ProcTurboMode: 'Disabled' } };
    await apply({ apiVersion: 'metal3.io/v1alpha1', kind: 'HostFirmwareSettings', metadata, spec });
    await untilField('hostfirmwaresettings/r01-s01', '.status.settings.ProcTurboMode', 'Disabled');
    await untilField('bmh/r01-s01', '.status.provisioning.state', 'available');
    const login = await out('simulate', 'login', 'r01-s01');
    const seen = await askBmc(login, { path: '/redfish/v1/Systems/System.Embedded.1/Bios' });
    assert.equal((seen.json as { Attributes: Record<string, string> }).Attributes.ProcTurboMode, 'Disabled');
  });

  test('are deprovisioned when their image goes', async () => {
    const patch = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name: 'r01-s08' } };
    // An image is there or not: an empty one is none.
    await apply({ ...patch, spec: { online: false, image: { url: '' } } });
    await untilField('bmh/r01-s08', '.status.provisioning.state', 'available');
    await untilField('bmh/r01-s08', '.status.poweredOn', 'false');
    assert.equal(await statusOf('r01-s08'), 'Off, nothing');
  });

  test('are where they were after a restart', async () => {
    const before = await read<BareMetalHost>('bmh', 'r01-s07');
    await up.end('SIGTERM');
    up = await startUp(dataDir);
    await up.until('Hosts of the rack: 7 available, 1 provisioned.');
    const now = await read<BareMetalHost>('bmh', 'r01-s07');
    assert.deepEqual(now.status?.provisioning, before.status?.provisioning);
    assert.deepEqual(now.status?.operationHistory, before.status?.operationHistory);
    assert.equal(await statusOf('r01-s07'), 'On, deployed image');
  });
});

describe('a host that is not of the rack', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine-bmc', namespace: 'default' } };
  const host = (name: string, address: string) => ({
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name, namespace: 'default' },
    spec: {
      online: true,
      bmc: { address, credentialsName: 'mine-bmc', disableCertificateVerification: false },
      bootMACAddress: '52:54:00:aa:00:09',
    },
  });

  test('waits, says that no provisioner is set, and can be deleted', async () => {
    const mine = JSON.stringify(host('mine', 'redfish://192.0.2.1/redfish/v1/Systems/1'));
    await cli(['apply', '-f', '-'], JSON.stringify({ ...secret, stringData: { username: 'u', password: 'p' } }));
    assert.equal((await cli(['apply', '-f', '-'], mine)).code, 0);
    await out('wait', 'bmh/mine', '--for=jsonpath={.status.provisioning.state}=registering', '--timeout=100s');
    const { status } = JSON.parse(await out('get', 'bmh', 'mine', '-o', 'json')) as BareMetalHost;
    const manageable = status?.conditions?.find(({ type }) => type === 'Manageable');
    assert.deepEqual([manageable?.status, manageable?.reason], ['False', 'Registering']);
    assert.match(manageable?.message ?? '', /^no provisioner is set for this host: .* --ironic-url /);
    assert.equal(status?.errorMessage, '');
    await out('delete', 'bmh', 'mine', '--timeout=100s');
  });

  test('cannot have the BMC of one that is', async () => {
    const { spec } = await read<BareMetalHost>('bmh', 'r01-s01');
    const twin = JSON.stringify(host('twin', spec?.bmc?.address ?? ''));
    const { code, err } = await cli(['apply', '-f', '-'], twin);
    assert.notEqual(code, 0);
    assert.match(err, /the BareMetalHost simulated\/r01-s01 has this BMC already/);
  });

  test('has the server whose host of the rack is gone, also after a restart', async () => {
    const { spec } = await read<BareMetalHost>('bmh', 'r01-s06');
    await out('delete', 'bmh', 'r01-s06', '-n', 'simulated', '--timeout=100s');
    const [, username, password] = (await out('simulate', 'login', 'r01-s06')).trim().split(' ');
    await cli(['apply', '-f', '-'], JSON.stringify({ ...secret, stringData: { username, password } }));
    const { bmc, bootMACAddress } = spec ?? {};
    const heir = host('heir', bmc?.address ?? '');
    heir.spec = {
      ...{ ...heir.spec, bootMACAddress: bootMACAddress ?? '' },
      bmc: { ...heir.spec.bmc, disableCertificateVerification: true },
    };
    assert.equal((await cli(['apply', '-f', '-'], JSON.stringify(heir))).code, 0);
    await out('wait', 'bmh/heir', '--for=jsonpath={.status.provisioning.state}=available', '--timeout=100s');
    await up.end('SIGTERM');
    up = await startUp(dataDir);
    await up.untilComplaint(/^The host r01-s06 of the rack was not made: .* default\/heir has this BMC already;/m);
    await up.until('Hosts of the rack: 6 available, 1 provisioned.');
  });
});
