import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRaid } from './index.ts';

const stepsOf = (plan: ReturnType<typeof planRaid>) => plan?.steps.map(({ step }) => step);

test('RAID that is not named is left as it is', () => {
  assert.equal(planRaid(undefined, undefined), undefined);
  assert.equal(planRaid({}, undefined), undefined);
  assert.equal(planRaid({ hardwareRAIDVolumes: null, softwareRAIDVolumes: null }, undefined), undefined);
});

test('an empty list removes what is there', () => {
  assert.deepEqual(stepsOf(planRaid({ hardwareRAIDVolumes: [] }, undefined)), ['delete_configuration']);
  const software = planRaid({ softwareRAIDVolumes: [] }, undefined);
  assert.deepEqual(stepsOf(software), ['delete_configuration', 'erase_devices_metadata']);
  assert.equal(software?.raidInterface, 'agent');
});

test('hardware volumes are built by the controller, the first for the image unless a hint names a disk', () => {
  const raid = {
    hardwareRAIDVolumes: [
      {
        level: '5' as const,
        rotational: true,
        numberOfPhysicalDisks: 2,
        controller: 'C1',
        physicalDisks: ['d1', 'd2'],
      },
      { level: '1' as const, sizeGibibytes: 0, rotational: false },
    ],
  };
  const plan = planRaid(raid, undefined);
  assert.equal(plan?.raidInterface, undefined);
  assert.deepEqual(plan?.logicalDisks, [
    {
      raid_level: '5',
      size_gb: 'MAX',
      disk_type: 'hdd',
      number_of_physical_disks: 2,
      controller: 'C1',
      physical_disks: ['d1', 'd2'],
      is_root_volume: true,
    },
    { raid_level: '1', size_gb: 'MAX', disk_type: 'ssd' },
  ]);
  const hinted = planRaid(raid, { deviceName: '/dev/sdz' });
  assert.ok(hinted?.logicalDisks.every((disk) => !('is_root_volume' in disk)));
});

test('software volumes are built by the agent, the chosen one for the image', () => {
  const plan = planRaid(
    {
      softwareRAIDVolumes: [
        { level: '0', sizeGibibytes: 10 },
        { level: '1', rootVolume: true, physicalDisks: [{ deviceName: '/dev/sda' }, { serialNumber: 'S2' }] },
      ],
    },
    undefined,
  );
  assert.deepEqual(stepsOf(plan), ['delete_configuration', 'erase_devices_metadata', 'create_configuration']);
  assert.deepEqual(plan?.logicalDisks, [
    { raid_level: '0', size_gb: 10, controller: 'software' },
    {
      raid_level: '1',
      size_gb: 'MAX',
      controller: 'software',
      physical_disks: [{ name: 's== /dev/sda' }, { serial: 's== S2' }],
      is_root_volume: true,
    },
  ]);
});
