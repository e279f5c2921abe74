import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../api/kinds.ts';
import { componentsOf, describeCompliance, filterMachines, isMet, toMachineRow } from './compliance.ts';
import { concernedServers, type FirmwarePlan, planSentence, type ServerPlan } from './firmware-plan.ts';
import {
  type AvailableFirmware,
  draftOf,
  emptyDraft,
  entryLines,
  type FirmwareGroup,
  groupOf,
  groupStanding,
} from './group-draft.ts';
import { offersOf, toServerParts } from './offers.ts';
import { findAvailable, partsOfHardware, toServerHardware } from './server-parts.ts';

const entry = (name: string, version: string) => ({ name, manufacturer: 'Acme', version });

function machine(name: string, more: { spec?: object; status?: object; annotations?: Record<string, string> } = {}) {
  const { spec = {}, status = {}, annotations = {} } = more;
  return { metadata: { name, labels: { rack: 'r1' }, annotations }, spec, status };
}

test('a row of the matrix has what is installed beside what is wanted', () => {
  const row = toMachineRow(
    machine('a', {
      annotations: { 'metal.ironcore.dev/firmware-group': 'g' },
      spec: { firmwares: [entry('nic', '2')] },
      status: {
        bios: { version: '1.9' },
        firmwares: [entry('nic', '1'), entry('drive', 'D1'), entry('drive', 'D2'), entry('drive', 'D1')],
        conditions: [{ type: 'UpToDate', status: 'False', reason: 'Differs', message: 'nic differs' }],
      },
    }),
  );
  assert.deepEqual(row.cells.nic, { installed: '1', wanted: '2' });
  assert.equal(row.cells.drive?.installed, 'D1, D2');
  assert.equal(row.standing, 'differs');
  assert.equal(row.why, 'nic differs');
  assert.equal(row.group, 'g');
  const lost = [
    { type: 'UpToDate', status: 'False', reason: 'WorkerLost', message: 'nic differs' },
    { type: 'Progressing', status: 'False', reason: 'WorkerLost', message: 'worker lost, resumes at 10:00' },
  ];
  const { standing, why } = toMachineRow(machine('a', { status: { conditions: lost } }));
  assert.deepEqual([standing, why], ['updating', 'worker lost, resumes at 10:00']);
  assert.ok(row.cells.nic !== undefined && !isMet(row.cells.nic));
  assert.deepEqual(componentsOf([row]), ['nic', 'bios', 'drive']);
});

test('entries for two products of a class are both told, and met where their parts have the versions', () => {
  const nic = (manufacturer: string, version: string, slot = '') => ({ name: 'nic', manufacturer, version, slot });
  const entries = [nic('Broadcom', '22.71'), nic('Mellanox', '26.39')];
  const conditions = [{ type: 'UpToDate', status: 'False', reason: 'Differs', message: 'bios differs' }];
  const cellOf = (installed: readonly object[], firmwares: readonly object[] = entries) => {
    const row = toMachineRow(machine('a', { spec: { firmwares }, status: { firmwares: installed, conditions } }));
    return row.cells.nic ?? assert.fail();
  };
  const done = [nic('Broadcom Inc. and subsidiaries', '22.71', 'N1'), nic('Mellanox Technologies', '26.39', 'N2')];
  const behind = [done[0] ?? {}, nic('Mellanox Technologies', '26.36', 'N2')];
  assert.deepEqual([cellOf(done).wanted, isMet(cellOf(done))], ['22.71, 26.39', true]);
  assert.equal(isMet(cellOf(behind)), false);
  assert.equal(isMet(cellOf(behind, entries.slice(0, 1))), true, 'of the other card no version is wanted');
  assert.equal(isMet(cellOf(behind, [nic('Dell Inc.', '22.71')])), true, 'the maker of the server stands for the card');
});

test('an entry that names a product as the catalogue does is met where its part has the version', () => {
  const bios = { name: 'bios', manufacturer: 'Dell Inc.', version: '1.9' };
  const card = (version: string) => ({ name: 'nic', manufacturer: 'Mellanox', model: 'ConnectX-6 Lx 2x 25G', version });
  const conditions = [{ type: 'UpToDate', status: 'False', reason: 'Differs', message: 'bios differs' }];
  const firmwares = [{ name: 'nic', manufacturer: 'Dell Inc.', model: 'ConnectX-6 Lx', version: '26.39' }];
  const isMetBy = (version: string): boolean => {
    const status = { firmwares: [bios, card(version)], conditions };
    return isMet(toMachineRow(machine('a', { spec: { firmwares }, status })).cells.nic ?? assert.fail());
  };
  assert.deepEqual([isMetBy('26.39'), isMetBy('26.36')], [true, false]);
});

test('the BIOS among the parts does not hide which version is desired', () => {
  const bios = { version: '1.9' };
  const status = { bios, firmwares: [{ name: 'bios', manufacturer: 'Dell Inc.', slot: 'BIOS.Setup.1-1', ...bios }] };
  const row = toMachineRow(machine('a', { spec: { bios: { version: '2.0' } }, status }));
  assert.deepEqual(row.cells.bios, { installed: '1.9', wanted: '2.0' });
});

test('what its server judged to be as wanted is shown so, however the wish is written', () => {
  const spec = { firmwares: [entry('iDRAC', '7.10'), entry('bios', '2.10')] };
  const status = (verdict: 'True' | 'False') => ({
    bios: { version: 'U46 v2.10 (05/17/2023)' },
    firmwares: [entry('bmc', '7.10')],
    conditions: [{ type: 'UpToDate', status: verdict, reason: 'R', message: '' }],
  });
  const { cells } = toMachineRow(machine('a', { spec, status: status('True') }));
  assert.deepEqual(cells.bmc, { installed: '7.10', wanted: '7.10', isAsWanted: true });
  assert.ok(Object.values(cells).every(isMet));
  const other = toMachineRow(machine('a', { spec, status: status('False') })).cells;
  assert.ok(other.bios !== undefined && !isMet(other.bios));
});

test('machines are found by name, label and version', () => {
  const rows = ['a', 'b'].map((name) =>
    toMachineRow(machine(name, { status: { firmwares: [entry('nic', name === 'a' ? '1.0' : '2.0')] } })),
  );
  const names = (text: string) => filterMachines(rows, { text, group: '', standing: '' }).map(({ name }) => name);
  assert.deepEqual(names('rack=r1'), ['a', 'b']);
  assert.deepEqual(names('rack=r1 nic 2.0'), ['b']);
  assert.deepEqual(filterMachines(rows, { text: '', group: 'other', standing: '' }), []);
});

const group: FirmwareGroup = {
  metadata: { name: 'g', resourceVersion: '7' },
  spec: {
    manufacturer: 'Acme',
    model: 'M / 1',
    serverSelector: { matchLabels: { rack: 'r1' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] },
    firmwares: [entry('nic', '1')],
  },
};

test('a group goes into the form and comes out as it was', () => {
  const made = groupOf(draftOf(group), group);
  assert.ok(!('problem' in made));
  assert.deepEqual(made.spec, group.spec);
  assert.equal(made.metadata.resourceVersion, '7');
});

test('a component that is no longer chosen is no longer wanted', () => {
  const made = groupOf({ ...draftOf(group), versions: { 'nic / Acme': '' } }, group);
  assert.ok(!('problem' in made));
  assert.deepEqual(made.spec.firmwares, []);
});

test('a form that is not finished says what is missing', () => {
  const problem = (changes: Partial<typeof emptyDraft>): string => {
    const made = groupOf({ ...emptyDraft, ...changes }, undefined);
    return 'problem' in made ? made.problem : '';
  };
  assert.match(problem({}), /name/);
  assert.match(problem({ name: 'a' }), /hardware/);
  assert.match(problem({ name: 'a', hardware: 'x / y' }), /labels/);
  assert.match(problem({ name: 'a', hardware: 'x / y', labels: 'nonsense' }), /key=value/);
  const named = { name: 'a', hardware: 'x / y', labels: 'a.b/c=d' };
  assert.match(problem({ ...named, versions: { 'nic / Acme': '' } }), /version/);
  assert.equal(problem({ ...named, versions: { 'nic / Acme': '1' } }), '');
});

test('the form offers the newest version first, and keeps one that the catalogue has lost', () => {
  const available: AvailableFirmware = {
    metadata: { name: 'm' },
    spec: { manufacturer: 'Acme', model: 'M' },
    status: { firmwares: [{ name: 'nic', manufacturer: 'Acme', versions: ['1', '2'] }] },
  };
  const draft = { ...emptyDraft, versions: { 'nic / Acme': '0', 'bmc / Acme': '5' } };
  const lines = entryLines(draft, available, [{ name: 'nic', manufacturer: 'Acme' }]);
  assert.deepEqual(
    lines.map(({ name, choices }) => [name, choices]),
    [
      ['nic', ['0', '2', '1']],
      ['bmc', ['5']],
    ],
  );
});

test('the form offers the BIOS too, which is told of by itself', () => {
  const available: AvailableFirmware = {
    metadata: { name: 'm' },
    spec: { manufacturer: 'Acme', model: 'M' },
    status: {
      bios: { versions: ['1.0', '1.1'] },
      firmwares: [{ name: 'nic', manufacturer: 'Intel', versions: ['1'] }],
    },
  };
  const parts = ['bios', 'nic'].map((name) => ({ name, manufacturer: name === 'nic' ? 'Intel' : 'Acme' }));
  assert.deepEqual(
    entryLines(emptyDraft, available, parts).map(({ key, choices }) => [key, choices]),
    [
      ['bios / Acme', ['1.1', '1.0']],
      ['nic / Intel', ['1']],
    ],
  );
});

test('a plan is told in one sentence, of the servers that the group has to do with', () => {
  const server = (name: string, more: Partial<ServerPlan> = {}): ServerPlan => ({
    ...{ server: name, state: 'update', isScanFirst: false, isHostOff: false, installs: [], waiting: [] },
    ...{ hostReboots: 0, bmcRestarts: 0, reasons: [], notes: [] },
    ...more,
  });
  const install = { order: 1, name: 'nic', wanted: '2', relation: 'older', restarts: 'host' as const };
  const plan: FirmwarePlan = {
    madeAt: '',
    groups: [],
    servers: [
      server('a', { group: 'g', installs: [install], hostReboots: 1 }),
      server('b', { writes: { group: 'g' }, installs: [{ ...install, relation: 'missing' }] }),
      server('c'),
    ],
  };
  const concerned = concernedServers(plan, 'g');
  assert.deepEqual(
    concerned.map((each) => each.server),
    ['a', 'b'],
  );
  assert.equal(planSentence(concerned), '1 install on 1 of 2 servers, with 1 restart of hosts and 0 of BMCs.');
  assert.equal(planSentence([]), 'The group would have no servers.');
});

test('a group whose servers are not known yet, or wait for somebody, is neither applied nor in progress', () => {
  const spec = { manufacturer: 'Dell Inc.', model: 'R750', serverSelector: {} };
  const standing = (reason: string, counts: { serversInGroup: number; updatesApplied: number }) => {
    const conditions = [{ type: 'Ready', status: 'False', reason, message: 'told' } as const];
    const group = { metadata: { name: 'g' }, spec, status: { ...counts, conditions } } as unknown as FirmwareGroup;
    const { text, why } = groupStanding(group);
    return `${text}: ${why}`;
  };
  assert.equal(standing('HardwareUnknown', { serversInGroup: 2, updatesApplied: 2 }), 'not known yet: told');
  assert.equal(standing('NeedsAttention', { serversInGroup: 2, updatesApplied: 1 }), 'needs attention: told');
  assert.equal(standing('Applying', { serversInGroup: 2, updatesApplied: 1 }), 'in progress: told');
  assert.equal(standing('AllApplied', { serversInGroup: 2, updatesApplied: 2 }), 'applied: ');
});

test('a machine without a declared target is not counted as one that is as declared', () => {
  const conditions = [{ type: 'UpToDate', status: 'Unknown', reason: 'NoTarget', message: 'nothing is declared' }];
  const row = toMachineRow(machine('a', { status: { firmwares: [entry('nic', '1')], conditions } }));
  assert.deepEqual([row.standing, row.why], ['no target', 'nothing is declared']);
  const good = { standing: 'as wanted' as const };
  assert.equal(describeCompliance([row, row]), '2 machines, no target declared');
  assert.equal(
    describeCompliance([good, row]),
    '2 machines, none differs from what is declared, 1 without a declared target',
  );
  assert.equal(describeCompliance([good, { standing: 'differs' }]), '2 machines, 1 differs from what is declared');
});

const cards: AvailableFirmware = {
  metadata: { name: 'm' },
  spec: { manufacturer: 'Dell Inc.', model: 'R750' },
  status: {
    firmwares: [
      {
        name: 'nic',
        manufacturer: 'Dell Inc.',
        model: 'Broadcom 25Gb',
        softwareIds: ['1'],
        versions: ['22.31', '22.71'],
      },
      { name: 'nic', manufacturer: 'Dell Inc.', model: 'ConnectX-6', softwareIds: ['2'], versions: ['26.39'] },
      { name: 'gpu', manufacturer: 'Dell Inc.', model: 'A100', softwareIds: ['3'], versions: ['9'] },
    ],
  },
};

test('the form offers each product by itself, and none that no installed part takes', () => {
  const parts = [
    { name: 'nic', manufacturer: 'Broadcom', model: 'Broadcom 25Gb', softwareId: '1' },
    { name: 'nic', manufacturer: 'Mellanox', model: 'ConnectX-6', softwareId: '2' },
  ];
  const lines = entryLines(emptyDraft, cards, parts);
  assert.deepEqual(
    lines.map(({ key, product, choices }) => [key, product, choices]),
    [
      ['nic / Dell Inc. / softwareId=1', 'Broadcom 25Gb', ['22.71', '22.31']],
      ['nic / Dell Inc. / softwareId=2', 'ConnectX-6', ['26.39']],
    ],
  );
  assert.deepEqual(entryLines(emptyDraft, cards), [], 'nothing is offered while no parts are known');
});

test('available are versions that a part of a server of that model, SKU or machine type takes', () => {
  const server = (name: string, sku: string, firmwares: readonly object[]) => {
    const hardware = { manufacturer: 'Lenovo', model: 'ThinkSystem SR530', sku };
    const { parts } = toServerParts({ metadata: { name }, status: { firmwares } } as KubeObject);
    return { ...toServerHardware({ metadata: { name }, status: hardware } as KubeObject), parts };
  };
  const nic = { name: 'nic', manufacturer: 'Intel', model: 'X722', version: '1' };
  const bmc = { name: 'bmc', manufacturer: 'Lenovo', version: '1' };
  const servers = [server('a', '7X21CTO1WW', [bmc, nic]), server('b', '7X21CTO1WW', [nic]), server('c', '7X07', [])];
  const offered = (model: string) => {
    const spec = { manufacturer: 'LENOVO', model };
    const firmwares = [
      { ...bmc, versions: ['2'] },
      { ...nic, versions: ['3'] },
    ].concat({
      ...{ name: 'gpu', manufacturer: 'NVIDIA', model: 'A100', version: '', versions: ['4'] },
    });
    const parts = partsOfHardware(spec, servers);
    assert.ok(parts.length <= 2, 'equal parts are told once');
    return offersOf({ metadata: { name: 'm' }, spec, status: { firmwares } }, parts).map(({ name }) => name);
  };
  assert.deepEqual(offered('thinksystem sr530'), ['bmc', 'nic']);
  assert.deepEqual(offered('7x21'), ['bmc', 'nic']);
  assert.deepEqual(offered('7x07'), []);
  assert.deepEqual(offered('PowerEdge R750'), []);
});

test('a group of a machine type is offered what is listed under the model of its servers, and the other way round', () => {
  const status = { manufacturer: 'Lenovo', model: 'ThinkSystem SR530', sku: '7X07CTO1WW' };
  const server = toServerHardware({ metadata: { name: 'a' }, status } as KubeObject);
  const named = (model: string) => ({ manufacturer: 'Lenovo', model });
  const modelFor = (hardware: string, ...listed: readonly string[]) => {
    const available = listed.map((model) => ({ metadata: { name: model }, spec: named(model) }));
    return findAvailable(named(hardware), available, [server])?.spec.model;
  };
  assert.equal(modelFor('7x07', 'ThinkSystem SR650', 'ThinkSystem SR530'), 'ThinkSystem SR530');
  assert.equal(modelFor('ThinkSystem SR530', '7x07'), '7x07');
  assert.equal(modelFor('ThinkSystem SR530', '7x07', 'ThinkSystem SR530'), 'ThinkSystem SR530');
  assert.equal(modelFor('7x21', '7x07', 'ThinkSystem SR530'), undefined);
});

test('what narrows an entry of a group is kept by the form', () => {
  const firmwares = [
    { name: 'nic', manufacturer: 'Dell Inc.', softwareId: '1', version: '22.71' },
    { name: 'nic', manufacturer: 'Dell Inc.', model: 'ConnectX-6', slot: 'NIC.Slot.3-1-1', version: '26.39' },
  ];
  const narrowed = { ...group, spec: { ...group.spec, firmwares } };
  const made = groupOf(draftOf(narrowed), narrowed);
  assert.ok(!('problem' in made));
  assert.deepEqual(made.spec.firmwares, firmwares);
});
