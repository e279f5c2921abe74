import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BareMetalHost, HostFirmwareComponents, HostFirmwareSettings } from '../../../src/api/index.ts';
import { type ServedImage, serveImage } from '../../../src/provisioners/agent/testing/simulated-machine.ts';
import { askBmc } from '../simulated-bmc.ts';
import { untilSo } from '../work-services.ts';
import { countOf, type Kubectl, type RackStage, startRackStage, untilRuns } from './stage.ts';
import { workersOf } from './workers.ts';

const metal3 = 'metal3.io/v1alpha1';
const inRack = (kind: string, name: string, more: object): object => ({
  ...{ apiVersion: metal3, kind, metadata: { name, namespace: 'simulated' } },
  ...more,
});
const errorType = '.status.errorType';
const state = '.status.provisioning.state';
const status = '.status.operationalStatus';
const liveUpdates = '.status.conditions[?(@.type=="LiveUpdates")]';

/** What documents 2 and 3 say that people do, done on `rackwright up` alone. */
export function describeRackWorkflows(name: string, kubectlOn: (dataDir: string) => Kubectl | Promise<Kubectl>): void {
  describe(`the workflows of hosts on the simulated rack, by ${name}`, { concurrency: false }, () => {
    let stage: RackStage;
    let image: ServedImage;
    before(async () => {
      image = await serveImage();
      stage = await startRackStage(kubectlOn);
    });
    after(async () => {
      await stage.close();
      await image.close();
    });

    test('an image is written to the disk of a host by an agent that its BMC has started', async () => {
      const { url, sha256: checksum } = image;
      const asked = { url, checksum, checksumType: 'sha256', format: 'raw' };
      await stage.apply(inRack('BareMetalHost', 'r01-s03', { spec: { online: true, image: asked } }));
      await stage.untilField('bmh/r01-s03', state, 'provisioned');
      await untilRuns(stage, 'r01-s03', 'deployed image');
      const log = (await stage.logOf('r01-s03')).join('\n');
      assert.match(log, new RegExp(`host.image-written sha256=${checksum}`));
    });

    test('and an image that is not what was promised is an error of the host, and not run', async () => {
      const { url } = image;
      const asked = { url, checksum: '0'.repeat(64), checksumType: 'sha256', format: 'raw' };
      await stage.apply(inRack('BareMetalHost', 'r01-s04', { spec: { online: true, image: asked } }));
      await stage.untilField('bmh/r01-s04', errorType, 'provisioning error');
      const { status } = await stage.read<BareMetalHost>('bmh', 'r01-s04');
      assert.match(status?.errorMessage ?? '', /has sha256/);
      assert.notEqual((await stage.server('r01-s04')).runs, 'deployed image');
    });

    test('a wrong password of its BMC is an error of the host, and the right one ends it', async () => {
      const [, , password = ''] = (await stage.simulate('login', 'r01-s01')).trim().split(' ');
      const secret = (stringData: object): object => ({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'r01-s01-bmc', namespace: 'simulated' } },
        stringData,
      });
      await stage.apply(secret({ password: 'not-the-password' }));
      await stage.untilField('bmh/r01-s01', errorType, 'registration error');
      const { status } = await stage.read<BareMetalHost>('bmh', 'r01-s01');
      assert.equal(status?.operationalStatus, 'error');
      assert.doesNotMatch(JSON.stringify(status), /not-the-password/);
      await stage.apply(secret({ password }));
      await stage.untilField('bmh/r01-s01', '.status.operationalStatus', 'OK');
    });

    test('a host in use is left alone without a policy: a reboot is a reboot', async () => {
      await untilRuns(stage, 'r01-s08', 'deployed image');
      const { HwPrefetcher } = await settingsOf('r01-s08');
      assert.equal(HwPrefetcher, 'Enabled');
      await stage.apply(
        inRack('HostFirmwareSettings', 'r01-s08', { spec: { settings: { HwPrefetcher: 'Disabled' } } }),
      );
      await stage.untilField('bmh/r01-s08', `${liveUpdates}.reason`, 'HostInUse');
      const boots = await countOf(stage, 'r01-s08', 'boot');
      await stage.kubectl(['annotate', 'bmh', 'r01-s08', '-n', 'simulated', 'reboot.metal3.io=']);
      await untilSo(async () => (await countOf(stage, 'r01-s08', 'boot')) > boots);
      await untilRuns(stage, 'r01-s08', 'deployed image');
      assert.equal((await biosOf('r01-s08')).HwPrefetcher, 'Enabled');
      await stage.untilField('bmh/r01-s08', status, 'OK');
    });

    test('BIOS settings of a host in use are changed at its next reboot where its policy says so', async () => {
      assert.equal((await settingsOf('r01-s07')).ProcTurboMode, 'Enabled');
      const before = await stage.read<BareMetalHost>('bmh', 'r01-s07');
      await stage.apply(
        inRack('HostUpdatePolicy', 'r01-s07', {
          spec: { firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' },
        }),
        inRack('HostFirmwareSettings', 'r01-s07', { spec: { settings: { ProcTurboMode: 'Disabled' } } }),
      );
      await stage.untilField('bmh/r01-s07', `${liveUpdates}.reason`, 'WaitsForReboot');
      assert.equal((await biosOf('r01-s07')).ProcTurboMode, 'Enabled');
      await reboot('r01-s07');
      await stage.untilField('hostfirmwaresettings/r01-s07', '.status.settings.ProcTurboMode', 'Disabled');
      await stage.untilField('bmh/r01-s07', status, 'OK');
      assert.equal((await biosOf('r01-s07')).ProcTurboMode, 'Disabled');
      const after = await stage.read<BareMetalHost>('bmh', 'r01-s07');
      assert.deepEqual(after.status?.provisioning.image, before.status?.provisioning.image);
      await untilRuns(stage, 'r01-s07', 'deployed image');
    });

    test('firmware of a host in use is installed from an HTTP link at its next reboot', async () => {
      // The first server of its model, whose links are those of the catalogue.
      const offer = (await stage.offersFor('r01-s01')).find((each) => each.component === 'bios' && each.isNewest);
      assert.ok(offer);
      assert.notEqual(await installed('r01-s07', 'bios'), offer.version);
      await stage.apply(
        inRack('HostFirmwareComponents', 'r01-s07', { spec: { updates: [{ component: 'bios', url: offer.url }] } }),
      );
      await stage.untilField('bmh/r01-s07', `${liveUpdates}.reason`, 'WaitsForReboot');
      await reboot('r01-s07');
      const bios = '.status.components[?(@.component=="bios")].currentVersion';
      await stage.untilField('hostfirmwarecomponents/r01-s07', bios, offer.version);
      await stage.untilField('bmh/r01-s07', status, 'OK');
      assert.equal(await installed('r01-s07', 'bios'), offer.version);
      assert.equal(await countOf(stage, 'r01-s07', 'update.flash-begin'), 1);
      const { status: seen } = await stage.read<HostFirmwareComponents>('hostfirmwarecomponents', 'r01-s07');
      assert.equal(seen?.components?.find(({ component }) => component === 'bios')?.lastVersionFlashed, offer.version);
      await untilRuns(stage, 'r01-s07', 'deployed image');
    });

    test('servers that nobody has registered become hosts and nodes when they are switched on', async () => {
      // Their hosts go, and their machines stay: from now on nobody has registered them.
      for (const name of ['r01-s05', 'r01-s06']) {
        await stage.kubectl(['delete', 'bmh', name, '-n', 'simulated', '--timeout=300s']);
        assert.equal((await stage.server(name)).power, 'Off');
      }
      await stage.simulate('join-secret', 'join', '-n', 'edge');
      await stage.apply(...workersOf('edge'));
      await stage.press('r01-s05', 'On');
      await stage.kubectl(['wait', 'bmh/edge-r01-s05', '-n', 'edge', '--for=create', '--timeout=300s']);
      await stage.untilField('bmh/edge-r01-s05', state, 'provisioned', 'edge');
      await stage.untilField('machineset/workers', '.status.readyReplicas', '1', 'edge');
      await stage.press('r01-s06', 'On');
      await stage.untilField('machineset/workers', '.status.readyReplicas', '2', 'edge');
      const nodes = await stage.kubectl(['get', 'nodes', '-o', 'name']);
      assert.deepEqual(nodes.trim().split('\n').sort(), ['node/edge-r01-s05', 'node/edge-r01-s06']);
      const { spec, status } = await stage.read<BareMetalHost>('bmh', 'edge-r01-s05', 'edge');
      assert.equal(spec?.bmc, undefined);
      assert.ok((status?.hardware?.ramMebibytes ?? 0) > 0);
    });

    test('and get the credentials of their BMCs later, which then switch them', async () => {
      const [url = '', username = '', password = ''] = (await stage.simulate('login', 'r01-s05')).trim().split(' ');
      const metadata = { namespace: 'edge', name: 'later' };
      const bmc = { address: `redfish+${url}`, credentialsName: 'later', disableCertificateVerification: true };
      await stage.apply(
        { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { username, password } },
        {
          ...{ apiVersion: metal3, kind: 'BareMetalHost', metadata: { ...metadata, name: 'edge-r01-s05' } },
          spec: { online: true, bmc },
        },
      );
      await stage.untilField(
        'bmh/edge-r01-s05',
        '.status.conditions[?(@.type=="PowerManagement")].status',
        'True',
        'edge',
      );
      assert.equal((await stage.server('r01-s05')).runs, 'deployed image', 'it runs on');
      const boots = await countOf(stage, 'r01-s05', 'boot');
      await stage.kubectl(['annotate', 'bmh', 'edge-r01-s05', '-n', 'edge', 'reboot.metal3.io=']);
      await untilSo(async () => (await countOf(stage, 'r01-s05', 'boot')) > boots);
    });

    test('a host that is used no more is erased by an agent, and is off again', async () => {
      await stage.apply(inRack('BareMetalHost', 'r01-s03', { spec: { online: false } }));
      await stage.untilField('bmh/r01-s03', state, 'available');
      await stage.untilField('bmh/r01-s03', '.status.poweredOn', 'false');
      assert.equal(await countOf(stage, 'r01-s03', 'host.disks-erased'), 1);
    });

    test('all is where it was after a restart', async () => {
      const before = await stage.read<BareMetalHost>('bmh', 'r01-s07');
      await stage.restart();
      const { status } = await stage.read<BareMetalHost>('bmh', 'r01-s07');
      assert.deepEqual(status?.provisioning, before.status?.provisioning);
      assert.deepEqual(status?.operationHistory, before.status?.operationHistory);
      assert.equal((await stage.server('r01-s07')).runs, 'deployed image');
    });

    async function reboot(host: string): Promise<void> {
      const isServiced = stage.untilField(`bmh/${host}`, status, 'servicing');
      await stage.kubectl(['annotate', 'bmh', host, '-n', 'simulated', 'reboot.metal3.io=']);
      await isServiced;
    }

    async function installed(server: string, component: string): Promise<string | undefined> {
      return (await stage.server(server)).firmware.find((each) => each.component === component)?.version;
    }

    async function settingsOf(server: string): Promise<Readonly<Record<string, string>>> {
      await stage.kubectl(['wait', `hostfirmwaresettings/${server}`, '-n', 'simulated', '--for=condition=Valid']);
      return (await stage.read<HostFirmwareSettings>('hostfirmwaresettings', server)).status?.settings ?? {};
    }

    /** What its BMC says, past everything. */
    async function biosOf(server: string): Promise<Readonly<Record<string, unknown>>> {
      const { spec } = await stage.read<BareMetalHost>('bmh', server);
      const path = new URL((spec?.bmc?.address ?? '').replace(/^[^:]*\+/, '')).pathname;
      const { json } = await askBmc(await stage.simulate('login', server), { path: `${path}/Bios` });
      return (json as { Attributes: Record<string, unknown> }).Attributes;
    }
  });
}
