import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { BareMetalHostStatus, ProvisioningState } from '../../api/index.ts';
import { checkTable, rowsFrom } from '../../kube/index.ts';
import { finalizers } from '../resources.ts';
import { hostTable } from '../table/host-table.ts';
import { discovered } from '../testing/discovered-host.ts';
import { type PlayedHost, type PlayedOptions, playHost } from '../testing/played-host.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const failure = { kind: 'failed', message: 'it broke' } as const;
const lost = { kind: 'unregistered' } as const;
const goesOn = { kind: 'continue', afterMs: 10_000 } as const;
const detached = { 'baremetalhost.metal3.io/detached': '' };

interface Scenario {
  readonly from: ProvisioningState;
  readonly to: ProvisioningState | 'gone';
  readonly when: string;
  readonly status?: Partial<BareMetalHostStatus>;
  readonly options?: PlayedOptions;
  readonly isDeleted?: boolean;
  readonly play?: (played: PlayedHost) => void;
  readonly check?: (played: PlayedHost) => void;
}

const scenarios: readonly Scenario[] = [
  {
    from: '',
    to: 'registering',
    when: 'it has BMC details',
    play: ({ provisioners }) => provisioners.answer('register', goesOn),
  },
  { from: '', to: 'unmanaged', when: 'it has none', options: { spec: { bmc: undefined as never } } },
  {
    from: 'unmanaged',
    to: 'registering',
    when: 'it gets BMC details',
    play: ({ provisioners }) => provisioners.answer('register', goesOn),
  },
  {
    from: 'unmanaged',
    to: 'importing',
    when: 'discovery made it',
    options: discovered(),
    play: ({ provisioners }) => provisioners.answer('importHost', goesOn),
  },
  {
    from: 'importing',
    to: 'registering',
    when: 'it gets BMC details',
    options: { annotations: discovered().annotations },
    play: ({ provisioners }) => provisioners.answer('register', goesOn),
  },
  {
    from: 'registering',
    to: 'importing',
    when: 'its BMC details are taken back',
    options: discovered(),
    play: ({ provisioners }) => provisioners.answer('importHost', goesOn),
  },
  {
    from: 'importing',
    to: 'externally provisioned',
    when: 'something else installed it',
    options: discovered({ externallyProvisioned: true }),
  },
  {
    from: 'importing',
    to: 'preparing',
    when: 'its provisioner has taken it over',
    options: discovered(),
    play: ({ provisioners }) => provisioners.answer('prepare', goesOn),
  },
  {
    from: 'importing',
    to: 'unmanaged',
    when: 'nothing says any more that it came by itself',
    options: { spec: discovered().spec },
  },
  {
    from: 'registering',
    to: 'externally provisioned',
    when: 'something else installed it',
    options: { spec: { externallyProvisioned: true } },
  },
  {
    from: 'registering',
    to: 'preparing',
    when: 'it is not inspected',
    options: { spec: { inspectionMode: 'disabled' } },
    play: ({ provisioners }) => provisioners.answer('prepare', goesOn),
  },
  {
    from: 'registering',
    to: 'inspecting',
    when: 'it is to be inspected',
    play: ({ provisioners }) => provisioners.answer('inspect', goesOn),
  },
  {
    from: 'inspecting',
    to: 'preparing',
    when: 'its hardware is known',
    play: ({ provisioners }) => provisioners.answer('prepare', goesOn),
  },
  {
    from: 'inspecting',
    to: 'preparing',
    when: 'inspection is disabled meanwhile',
    options: { annotations: { 'inspect.metal3.io': 'disabled' } },
    play: ({ provisioners }) => provisioners.answer('prepare', goesOn),
  },
  { from: 'preparing', to: 'available', when: 'it is prepared' },
  { from: 'match profile', to: 'available', when: 'it comes from an old version' },
  {
    from: 'available',
    to: 'externally provisioned',
    when: 'something else installs it',
    options: { spec: { externallyProvisioned: true } },
    check: ({ status }) => assert.equal(status.provisioning.rootDeviceHints, undefined),
  },
  {
    from: 'available',
    to: 'inspecting',
    when: 'it is to be inspected anew',
    options: { annotations: { 'inspect.metal3.io': '' } },
    play: ({ provisioners }) => provisioners.answer('inspect', goesOn),
  },
  {
    from: 'available',
    to: 'preparing',
    when: 'its root device is another',
    options: { spec: { rootDeviceHints: { wwn: 'x' } } },
    play: ({ provisioners }) => provisioners.answer('prepare', goesOn),
  },
  {
    from: 'available',
    to: 'preparing',
    when: 'its RAID is another',
    options: { spec: { raid: { hardwareRAIDVolumes: [{ level: '1' }] } } },
    play: ({ provisioners }) => provisioners.answer('prepare', goesOn),
  },
  {
    from: 'ready',
    to: 'provisioning',
    when: 'it is to get an image',
    options: { spec: { image } },
    play: ({ provisioners }) => provisioners.answer('provision', goesOn),
  },
  {
    from: 'available',
    to: 'provisioning',
    when: 'it is to be deployed in another way',
    options: { spec: { customDeploy: { method: 'install' } } },
    play: ({ provisioners }) => provisioners.answer('provision', goesOn),
  },
  {
    from: 'provisioning',
    to: 'deprovisioning',
    when: 'provisioning failed',
    status: {
      errorType: 'provisioning error',
      errorMessage: 'it broke',
      operationalStatus: 'error',
      lastAttemptedImage: image,
    },
    options: { spec: { image } },
    play: ({ provisioners }) => provisioners.answer('deprovision', goesOn),
    check: ({ status }) => assert.equal(status.provisioningFailCount, 1),
  },
  {
    from: 'provisioning',
    to: 'deprovisioning',
    when: 'the image is taken back',
    play: ({ provisioners }) => provisioners.answer('deprovision', goesOn),
    check: ({ status }) => assert.equal(status.provisioningFailCount, 0),
  },
  {
    from: 'provisioning',
    to: 'provisioned',
    when: 'the image is on it',
    status: { errorCount: 2, provisioningFailCount: 3 },
    options: { spec: { image } },
    check: ({ status }) => {
      assert.deepEqual([status.errorCount, status.provisioningFailCount], [0, 0]);
      assert.deepEqual(status.provisioning.image, image);
    },
  },
  {
    from: 'provisioned',
    to: 'deprovisioning',
    when: 'its image is removed',
    status: deployed(),
    play: ({ provisioners }) => provisioners.answer('deprovision', goesOn),
  },
  {
    from: 'provisioned',
    to: 'deprovisioning',
    when: 'its image is another',
    status: deployed(),
    options: { spec: { image: { ...image, url: 'http://other' } } },
    play: ({ provisioners }) => provisioners.answer('deprovision', goesOn),
  },
  {
    from: 'externally provisioned',
    to: 'provisioned',
    when: 'it is to be managed from now on',
    options: { spec: { image } },
    check: ({ status }) => assert.deepEqual(status.provisioning.image, image),
  },
  {
    from: 'deprovisioning',
    to: 'available',
    when: 'nothing is on it any more',
    status: deployed(undefined, 'deprovisioning'),
    options: { spec: { hardwareProfile: 'empty' } },
    check: ({ status }) => assert.equal(status.provisioning.image, undefined),
  },
  {
    from: 'deprovisioning',
    to: 'provisioning',
    when: 'something else runs there and an image is wanted',
    options: { spec: { image: { url: 'http://images.example/b.qcow2' } } },
    play: ({ provisioners }) => {
      provisioners.answer('deprovision', { ...failure, isInUse: true });
      provisioners.answer('provision', goesOn);
    },
    check: ({ status }) => assert.equal(status.lastAttemptedImage?.url, 'http://images.example/b.qcow2'),
  },
  {
    from: 'deprovisioning',
    to: 'powering off before delete',
    when: 'it leaves and nothing is on it',
    isDeleted: true,
    play: ({ provisioners }) => provisioners.answer('setPower', goesOn),
  },
  {
    from: 'deprovisioning',
    to: 'powering off before delete',
    when: 'it leaves and deprovisioning failed four times',
    isDeleted: true,
    status: { errorType: 'provisioning error', errorCount: 3, operationalStatus: 'error' },
    play: ({ provisioners }) => {
      provisioners.answer('deprovision', failure);
      provisioners.answer('setPower', goesOn);
    },
    check: ({ counts }) => assert.ok(counts.some(({ metric }) => metric === 'deleteWithoutDeprovisioning')),
  },
  {
    from: 'deprovisioning',
    to: 'deleting',
    when: 'it leaves, nobody knows it and its Secret is gone',
    isDeleted: true,
    options: { secret: { kind: 'missing' } },
    play: ({ provisioners }) => {
      provisioners.answer('deprovision', lost);
      provisioners.answer('remove', goesOn);
    },
  },
  {
    from: 'powering off before delete',
    to: 'deleting',
    when: 'it is off',
    isDeleted: true,
    play: ({ provisioners }) => provisioners.answer('remove', goesOn),
    check: ({ status }) => assert.equal(status.poweredOn, false),
  },
  {
    from: 'powering off before delete',
    to: 'deleting',
    when: 'it must not be off',
    isDeleted: true,
    options: { spec: { disablePowerOff: true } },
    play: ({ provisioners }) => provisioners.answer('remove', goesOn),
    check: ({ done }) => assert.ok(!done.includes('ask power')),
  },
  {
    from: 'powering off before delete',
    to: 'deleting',
    when: 'it could not be switched off four times',
    isDeleted: true,
    status: { errorType: 'power management error', errorCount: 3 },
    play: ({ provisioners }) => {
      provisioners.answer('setPower', failure);
      provisioners.answer('remove', goesOn);
    },
    check: ({ counts }) => assert.ok(counts.some(({ metric }) => metric === 'deleteWithoutPoweringOff')),
  },
  {
    from: 'powering off before delete',
    to: 'deleting',
    when: 'nobody knows it and its Secret is gone',
    isDeleted: true,
    options: { secret: { kind: 'missing' } },
    play: ({ provisioners }) => {
      provisioners.answer('setPower', lost);
      provisioners.answer('remove', goesOn);
    },
  },
  { from: 'deleting', to: 'gone', when: 'nobody knows it', isDeleted: true },
  {
    from: 'deleting',
    to: 'gone',
    when: 'it was forgotten before',
    isDeleted: true,
    play: ({ provisioners }) => provisioners.answer('remove', lost),
  },
  { from: 'deleting', to: 'gone', when: 'it is detached', isDeleted: true, options: { annotations: detached } },
  ...(['', 'unmanaged', 'importing', 'registering'] as const).map(
    (from): Scenario => ({
      from,
      to: 'deleting',
      when: 'it leaves',
      isDeleted: true,
      play: ({ provisioners }) => provisioners.answer('remove', goesOn),
    }),
  ),
  ...(['inspecting', 'preparing', 'available', 'externally provisioned'] as const).map(
    (from): Scenario => ({
      from,
      to: 'powering off before delete',
      when: 'it leaves',
      isDeleted: true,
      play: ({ provisioners }) => provisioners.answer('setPower', goesOn),
    }),
  ),
  {
    from: 'provisioning',
    to: 'powering off before delete',
    when: 'it leaves and nothing was written to it, since its machine was in use',
    isDeleted: true,
    status: { errorType: 'provisioning error', errorMessage: 'in use', operationalStatus: 'error' },
    options: { spec: { image } },
    play: ({ provisioners }) => provisioners.answer('setPower', goesOn),
  },
  ...(['provisioning', 'provisioned'] as const).map(
    (from): Scenario => ({
      from,
      to: 'deprovisioning',
      when: 'it leaves',
      isDeleted: true,
      play: ({ provisioners }) => provisioners.answer('deprovision', goesOn),
    }),
  ),
  ...(['deprovisioning', 'powering off before delete'] as const).map(
    (from): Scenario => ({
      from,
      to: 'deleting',
      when: 'it leaves and its BMC could not be reached four times',
      isDeleted: true,
      status: { errorType: 'registration error', errorCount: 4 },
      play: ({ provisioners }) => provisioners.answer('remove', goesOn),
    }),
  ),
  ...(
    [
      'inspecting',
      'preparing',
      'available',
      'provisioning',
      'provisioned',
      'externally provisioned',
      'deprovisioning',
      'powering off before delete',
    ] as const
  ).map(
    (from): Scenario => ({
      from,
      to: 'deleting',
      when: 'it leaves while it is detached',
      isDeleted: true,
      options: { annotations: detached },
      play: ({ provisioners }) => provisioners.answer('remove', goesOn),
    }),
  ),
];

describe('the table of hosts', () => {
  const taken = new Set<string>();

  it('has no gaps and no two rows for one thing', () => {
    assert.deepEqual(checkTable(hostTable), []);
  });

  for (const { from, to, when, status, options, isDeleted, play, check } of scenarios) {
    it(`a host that is ${from === '' ? 'new' : from} becomes ${to} when ${when}`, async () => {
      const played = playHost({ ...options, ...(from === '' ? {} : { status: statusIn(from, status) }) });
      if (isDeleted === true) played.delete();
      play?.(played);
      await played.round();
      if (to === 'gone') {
        assert.deepEqual(played.host.metadata.finalizers, []);
        taken.add(`${from} > gone`);
      } else assert.equal(played.state, to);
      for (const { metric, labels } of played.counts) {
        if (metric === 'stateChange') taken.add(`${labels?.prev_state} > ${labels?.new_state}`);
      }
      check?.(played);
    });
  }

  after(() => {
    const all = hostTable.states.flatMap((state) =>
      rowsFrom(hostTable, state).map(({ to }) => `${state === 'none' ? '' : state} > ${to}`),
    );
    assert.deepEqual(
      all.filter((move) => !taken.has(move)),
      [],
      'rows that no test has taken',
    );
  });

  it('lets a host go with its finalizer last', async () => {
    const played = playHost({ status: statusIn('deleting') });
    played.delete();
    await played.round();
    assert.deepEqual(played.done, ['ask remove', 'release-work', 'release-secret', 'change-host']);
    assert.ok(!(played.host.metadata.finalizers ?? []).includes(finalizers.host));
  });
});
