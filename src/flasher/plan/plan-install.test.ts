import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { ComponentType, FirmwareSlot } from '../../bmc/index.ts';
import { type FirmwareComponent, firmwareComponents, toComponent } from '../../parts/index.ts';
import type { Firmware } from './firmware.ts';
import { planInstall } from './plan-install.ts';

let count = 0;

function firmware(component: FirmwareComponent, version: string, more: Partial<Firmware> = {}): Firmware {
  count += 1;
  const id = more.id ?? `fw-${String(count).padStart(4, '0')}`;
  const base = { vendor: 'dell', filename: 'x.bin', url: 'https://images/x.bin', checksum: '', models: [] };
  return { ...base, id, component, version, isInband: false, ...more };
}

function slot(name: string, component: ComponentType, version: string, more: Partial<FirmwareSlot> = {}): FirmwareSlot {
  return {
    slot: name,
    component,
    name,
    vendor: undefined,
    model: undefined,
    version,
    pendingVersion: undefined,
    previousVersion: undefined,
    isUpdateable: true,
    softwareId: undefined,
    uri: `/redfish/v1/UpdateService/FirmwareInventory/${name}`,
    relatedItems: [],
    health: undefined,
    ...more,
  };
}

const dell = [
  slot('iDRAC', 'bmc', '7.00'),
  slot('BIOS', 'bios', '2.19.1'),
  slot('NIC.1-1', 'nic', '22.00', { name: 'Broadcom BCM5720 - D0:94:66:00:00:01', softwareId: '108255' }),
  slot('NIC.1-2', 'nic', '22.00', { name: 'Broadcom BCM5720 - D0:94:66:00:00:02', softwareId: '108255' }),
  slot('NIC.2-1', 'nic', '16.35', { name: 'Mellanox ConnectX-5 - B8:CE:F6:00:00:03', softwareId: '107545' }),
  slot('Disk.Bay.0', 'drive', 'ST31', { name: 'Disk 0 in Backplane 1' }),
  slot('Disk.Bay.1', 'drive', 'ST31', { name: 'Disk 1 in Backplane 1' }),
  slot('Enclosure.0', 'other', '7.10', { name: 'Backplane 1' }),
  slot('TPM.1', 'tpm', '7.2', { isUpdateable: false }),
];

function plan(
  firmwares: readonly Firmware[],
  more: { slots?: readonly FirmwareSlot[]; isForced?: boolean; mayGoBack?: boolean } = {},
) {
  const { slots = dell, isForced = false, mayGoBack = true } = more;
  const driveModels = new Map([
    ['Disk.Bay.0', 'ST2400MM0159'],
    ['Disk.Bay.1', 'ST2400MM0159'],
  ]);
  const inventory = {
    vendor: 'dell',
    manufacturer: 'Dell Inc.',
    model: 'PowerEdge R640',
    slots,
    driveModels,
    gaps: [],
  };
  return planInstall({ inventory: { ...inventory, vendor: 'dell' }, firmwares, parameters: { isForced, mayGoBack } });
}

function shown({ actions, skipped, problems }: ReturnType<typeof plan>) {
  return [
    ...actions.map(({ firmware: { component, version }, slots }) => [
      `${component} ${version}`,
      ...slots.map((each) => each.slot),
    ]),
    ...skipped.map(({ firmware: { component, version }, why }) => [`${component} ${version}`, `skipped: ${why}`]),
    ...problems.map(({ code }) => [`problem: ${code}`]),
  ];
}

const cases: readonly {
  readonly name: string;
  readonly firmwares: readonly Firmware[];
  readonly isForced?: boolean;
  readonly mayGoBack?: boolean;
  readonly slots?: readonly FirmwareSlot[];
  readonly expected: readonly (readonly string[])[];
}[] = [
  {
    name: 'the BMC is installed before the BIOS, whatever the order of the set',
    firmwares: [firmware('bios', '2.21'), firmware('bmc', '7.10')],
    expected: [
      ['bmc 7.10', 'iDRAC'],
      ['bios 2.21', 'BIOS'],
    ],
  },
  {
    name: 'what is current is left out and the rest is still installed',
    firmwares: [firmware('bmc', '7.00'), firmware('bios', '2.21')],
    expected: [
      ['bios 2.21', 'BIOS'],
      ['bmc 7.00', 'skipped: current'],
    ],
  },
  {
    name: 'force installs what is current',
    firmwares: [firmware('bmc', '7.00')],
    isForced: true,
    expected: [['bmc 7.00', 'iDRAC']],
  },
  {
    name: 'an image of another vendor is left out',
    firmwares: [firmware('bios', '2.21', { vendor: 'supermicro' })],
    expected: [['bios 2.21', 'skipped: other-vendor']],
  },
  {
    name: 'a model matches as a part of the name of the server, in any case',
    firmwares: [firmware('bios', '2.21', { models: ['r640'] })],
    expected: [['bios 2.21', 'BIOS']],
  },
  {
    name: 'an image for another model is left out',
    firmwares: [firmware('bios', '2.21', { models: ['R750', 'PowerEdge R650'] })],
    expected: [['bios 2.21', 'skipped: other-model']],
  },
  {
    name: 'all ports of a card are of one action, and other cards are not',
    firmwares: [firmware('nic', '22.71', { vendor: 'broadcom', models: ['BCM5720'] })],
    expected: [['nic 22.71', 'NIC.1-1', 'NIC.1-2']],
  },
  {
    name: 'an image that names no part is refused where there are several kinds',
    firmwares: [firmware('nic', '22.71', { models: ['PowerEdge R640'] })],
    expected: [['problem: ambiguous']],
  },
  {
    name: 'the software id of the vendor tells which part is meant',
    firmwares: [firmware('nic', '16.36', { models: ['PowerEdge R640'], softwareIds: ['107545'] })],
    expected: [['nic 16.36', 'NIC.2-1']],
  },
  {
    name: 'any of the ids of an image will do, and of two kinds of cards each gets its own',
    firmwares: [
      firmware('nic', '22.71', { models: ['PowerEdge R640'], softwareIds: ['1', '108255'] }),
      firmware('nic', '16.36', { models: ['PowerEdge R640'], softwareIds: ['107545', '2'] }),
      firmware('nic', '9.9', { models: ['PowerEdge R640'], softwareIds: ['3', '4'] }),
    ],
    expected: [
      ['nic 16.36', 'NIC.2-1'],
      ['nic 22.71', 'NIC.1-1', 'NIC.1-2'],
      ['nic 9.9', 'skipped: absent'],
    ],
  },
  {
    name: 'an image for another BMC is left out, also with force and however well its model fits',
    firmwares: [firmware('bmc', '1.62', { models: ['PowerEdge R640'], softwareIds: ['t6'] })],
    slots: [slot('BMC', 'bmc', '2.72', { otherSoftwareIds: ['t0', 'T5'] })],
    isForced: true,
    expected: [['bmc 1.62', 'skipped: absent']],
  },
  {
    name: 'of several images of one version the ids choose',
    firmwares: ['t4', 't5', 't6'].map((id) => firmware('bmc', '3.05', { softwareIds: [id], checksum: id.repeat(32) })),
    slots: [slot('BMC', 'bmc', '2.72', { otherSoftwareIds: ['t0', 'T5'] })],
    expected: [
      ['bmc 3.05', 'BMC'],
      ['bmc 3.05', 'skipped: absent'],
      ['bmc 3.05', 'skipped: absent'],
    ],
  },
  {
    name: 'two images that both fit are one too many',
    firmwares: ['a', 'b'].map((letter) => firmware('bmc', '3.05', { softwareIds: ['t5', letter], checksum: letter })),
    slots: [slot('BMC', 'bmc', '2.72', { softwareId: 't5' })],
    expected: [['bmc 3.05', 'BMC'], ['problem: contradiction']],
  },
  {
    name: 'an image that does not say what it is for gives way to one of the same version that does',
    firmwares: [
      firmware('bmc', '3.05', { id: 'a', checksum: 'aa' }),
      firmware('bmc', '3.05', { id: 'b', checksum: 'bb', softwareIds: ['t5'] }),
    ],
    slots: [slot('BMC', 'bmc', '2.72', { softwareId: 't5' })],
    expected: [
      ['bmc 3.05', 'BMC'],
      ['bmc 3.05', 'skipped: duplicate'],
    ],
  },
  {
    name: 'where the server shows no ids, those of the image say nothing',
    firmwares: [
      firmware('bios', '2.21', { softwareIds: ['159'] }),
      firmware('bmc', '7.10', { softwareIds: ['25227'] }),
    ],
    slots: [slot('iDRAC', 'bmc', '7.00'), slot('BIOS', 'bios', '2.19.1', { softwareId: '0' })],
    expected: [
      ['bmc 7.10', 'iDRAC'],
      ['bios 2.21', 'BIOS'],
    ],
  },
  {
    name: 'drives go by the model that the drive itself tells, all of them in one action',
    firmwares: [firmware('drive', 'ST3B', { vendor: 'seagate', models: ['ST2400MM0159'] })],
    expected: [['drive ST3B', 'Disk.Bay.0', 'Disk.Bay.1']],
  },
  {
    name: 'a part of another server vendor is left out, even if its model fits',
    firmwares: [firmware('drive', 'ST3B', { vendor: 'Lenovo', models: ['st2400mm0159'] })],
    expected: [['drive ST3B', 'skipped: other-vendor']],
  },
  {
    name: 'a backplane is found by its name',
    firmwares: [firmware('backplane', '7.11', { models: ['Backplane'] })],
    expected: [['backplane 7.11', 'Enclosure.0']],
  },
  {
    name: 'what the BMC cannot update is left out',
    firmwares: [firmware('tpm', '7.3', { models: ['TPM'] })],
    expected: [['tpm 7.3', 'skipped: not-updateable']],
  },
  {
    name: 'what the server does not have is left out, also with force',
    firmwares: [firmware('gpu', '1.0')],
    isForced: true,
    expected: [['gpu 1.0', 'skipped: absent']],
  },
  {
    name: 'what only a tool on the host can install is left out',
    firmwares: [firmware('bios', '2.21', { isInband: true })],
    expected: [['bios 2.21', 'skipped: inband']],
  },
  {
    name: 'without an installed version force is needed',
    firmwares: [firmware('bios', '2.21')],
    slots: [slot('BIOS', 'bios', '')],
    expected: [['bios 2.21', 'skipped: no-version']],
  },
  {
    name: 'with force it does not matter that no version is shown',
    firmwares: [firmware('bios', '2.21')],
    slots: [slot('BIOS', 'bios', '')],
    isForced: true,
    expected: [['bios 2.21', 'BIOS']],
  },
  {
    name: 'the same image twice is installed once',
    firmwares: [firmware('bios', '2.21', { checksum: 'sha256:AB' }), firmware('bios', '2.21', { checksum: 'ab' })],
    expected: [
      ['bios 2.21', 'BIOS'],
      ['bios 2.21', 'skipped: duplicate'],
    ],
  },
  {
    name: 'two versions for one slot contradict each other, also when one of them is installed',
    firmwares: [firmware('bios', '2.19.1'), firmware('bios', '2.21')],
    expected: [['bios 2.19.1', 'skipped: current'], ['problem: contradiction']],
  },
  {
    name: 'a spare bank is neither written nor asked',
    firmwares: [firmware('bmc', '7.10')],
    slots: [slot('BMC', 'bmc', '7.10'), slot('BMC-Backup', 'bmc', '7.00', { isBackup: true })],
    expected: [['bmc 7.10', 'skipped: current']],
  },
  {
    name: 'one slot of several that is behind makes an action for all of them',
    firmwares: [firmware('nic', '22.71', { models: ['BCM5720'] })],
    slots: [slot('A', 'nic', '22.71', { name: 'BCM5720' }), slot('B', 'nic', '22.00', { name: 'BCM5720' })],
    expected: [['nic 22.71', 'A', 'B']],
  },
  {
    name: 'of several CPLDs the models name the one that is meant',
    firmwares: [firmware('cpld', '1.1', { models: ['PowerEdge R640', 'Backplane CPLD'] })],
    slots: [slot('CPLD.1', 'cpld', '1.0'), slot('CPLD.2', 'cpld', '1.0', { name: 'Backplane CPLD' })],
    expected: [['cpld 1.1', 'CPLD.2']],
  },
  {
    name: 'what is older than what is installed is left out where going back is not allowed, also with force',
    firmwares: [firmware('bios', '2.9.4'), firmware('bmc', '7.10')],
    mayGoBack: false,
    isForced: true,
    expected: [
      ['bmc 7.10', 'iDRAC'],
      ['bios 2.9.4', 'skipped: older'],
    ],
  },
  {
    name: 'versions whose order nobody knows are no step back',
    firmwares: [firmware('drive', 'ST2A', { vendor: 'seagate', models: ['ST2400MM0159'] })],
    mayGoBack: false,
    expected: [['drive ST2A', 'Disk.Bay.0', 'Disk.Bay.1']],
  },
];

test('planning: a step back is marked, and a step forward is not', () => {
  const back = (version: string) => plan([firmware('bios', version)]).actions[0]?.slots[0]?.isGoingBack;
  assert.deepEqual(['2.9.4', '2.19.0', '2.19.2', '3.0'].map(back), [true, true, false, false]);
});

for (const { name, firmwares, expected, ...more } of cases) {
  test(`planning: ${name}`, () => {
    assert.deepEqual(shown(plan(firmwares, more)), expected);
  });
}

test('planning: an image for other hardware is left out with what it is for and what is there', () => {
  const softwareIds = Array.from({ length: 300 }, (_, at) => `id-${at}`);
  const slots = [slot('iLO 5', 'bmc', '2.72', { otherSoftwareIds: ['4764a662'] })];
  const { skipped } = plan([firmware('bmc', '1.62', { softwareIds })], { slots });
  assert.equal(
    skipped[0]?.message,
    'bmc 1.62 is for other hardware: the ids that it is for are id-0, id-1, id-2, id-3, id-4, 295 more; here there is iLO 5 (4764a662)',
  );
});

test('planning: versions are compared as their vendor writes them', () => {
  const slots = [slot('System ROM', 'bios', 'U32 v2.80 (04/20/2023)')];
  const inventory = { vendor: 'hpe' as const, manufacturer: 'HPE', model: 'ProLiant DL360 Gen10', slots, gaps: [] };
  const firmwares = [firmware('bios', '2.80', { vendor: 'hpe' })];
  const { skipped } = planInstall({ inventory, firmwares, parameters: { isForced: false } });
  assert.equal(skipped[0]?.why, 'current');
});

test('planning: what could not be read is not taken to be absent', () => {
  const gaps = [{ path: '/redfish/v1/UpdateService/FirmwareInventory', reason: 'it answered 500' }];
  const inventory = { vendor: 'dell' as const, manufacturer: 'Dell Inc.', model: 'R640', slots: [], gaps };
  const { problems, skipped } = planInstall({
    inventory,
    firmwares: [firmware('bios', '2.21')],
    parameters: { isForced: false },
  });
  assert.deepEqual(skipped, []);
  assert.equal(problems[0]?.isTransient, true);
});

test('planning: every spelling of a component in use is known', () => {
  const words = ['BMC', 'bios', 'Power-Supply', 'storagecontroller', 'StorageController', 'backplane-expander', 'foo'];
  assert.deepEqual(words.map(toComponent), [
    'bmc',
    'bios',
    'psu',
    'storage-controller',
    'storage-controller',
    'backplane',
    undefined,
  ]);
});

const slots = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
    component: fc.constantFrom<ComponentType>('bmc', 'bios', 'nic', 'drive', 'psu', 'other'),
    version: fc.constantFrom('', '1.0', '1.1', '2.0'),
    softwareId: fc.constantFrom(undefined, 'x', 'y'),
  }),
  { selector: ({ name }) => name },
);

const firmwares = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    component: fc.constantFrom(...firmwareComponents),
    version: fc.constantFrom('1.0', '1.1', '2.0'),
    vendor: fc.constantFrom('dell', 'lenovo', ''),
    models: fc.constantFrom<string[]>([], ['R640'], ['A'], ['R750']),
    isInband: fc.boolean(),
  }),
  { selector: ({ id }) => id },
);

test('planning: each firmware is told of once, each slot is written once, in order, whatever the order of the set', () => {
  fc.assert(
    fc.property(slots, firmwares, fc.boolean(), (seen, wanted, isForced) => {
      const built = seen.map(({ name, component, version, softwareId }) =>
        slot(name, component, version, { softwareId }),
      );
      const asked = wanted.map(({ component, version, ...more }) => firmware(component, version, more));
      const made = plan(asked, { slots: built, isForced });
      assert.equal(made.actions.length + made.skipped.length + made.problems.length, asked.length);
      const written = made.actions.flatMap((action) => action.slots.map((each) => each.slot));
      assert.equal(new Set(written).size, written.length);
      const ranks = made.actions.map((action) => firmwareComponents.indexOf(action.firmware.component));
      assert.deepEqual(
        ranks,
        ranks.toSorted((a, b) => a - b),
      );
      assert.deepEqual(plan(asked.toReversed(), { slots: built, isForced }), made);
      if (!isForced) assert.ok(made.actions.every((action) => action.slots.some(({ isCurrent }) => !isCurrent)));
    }),
  );
});
