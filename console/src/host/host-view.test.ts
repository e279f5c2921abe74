import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConditionRecord } from '../tasks/task-row.ts';
import { countText, toTaskRow } from '../tasks/task-row.ts';
import { firmwareSlots, updatableComponents } from './firmware-slots.ts';
import { readCatalogue } from './read-catalogue.ts';
import { nextOf, placesOf, waysOf } from './state-diagram.ts';
import { timelineOf } from './timeline.ts';

test('every state of the table has a place of its own, and every way leads between two of them', () => {
  const places = placesOf();
  assert.equal(new Set(places.map(({ column, line }) => `${column}/${line}`)).size, places.length);
  const states = new Set(places.map(({ state }) => state));
  for (const { from, to } of waysOf()) assert.ok(states.has(from) && states.has(to), `${from} > ${to}`);
  assert.ok(nextOf('available').some(({ to }) => to === 'provisioning'));
  assert.deepEqual(nextOf('ready'), nextOf('available'), 'states of old versions are read as those that follow them');
});

test('a slot joins what is installed, wanted and to be had', () => {
  const slots = firmwareSlots({
    components: {
      metadata: { name: 'a' },
      spec: { updates: [{ component: 'bios', url: 'http://images/bios-2' }] },
      status: { components: [{ component: 'bios', currentVersion: '1.9' }] },
    },
    server: {
      metadata: { name: 'a' },
      status: { firmwares: ['7', '6', '7'].map((version) => ({ name: 'nic', version })) },
    },
    catalogue: ['1.9', '1.10'].map((version) => ({
      ...{ uuid: version, component: 'bios', vendor: 'dell', version },
      repository_url: version === '1.10' ? 'http://images/bios-2' : 'http://images/bios-1',
    })),
  });
  assert.deepEqual(slots, [
    { component: 'bios', desired: '1.10', installed: '1.9', available: ['1.10', '1.9'], isAsWanted: false },
    { component: 'nic', desired: '', installed: '7, 6', available: [], isAsWanted: true },
  ]);
});

test('each product of a class is shown apart, and offered no version of another', () => {
  const nic = (model: string, softwareId: string, version: string) => ({
    ...{ name: 'nic', manufacturer: 'Any', model, softwareId, version },
  });
  const known = (catalogue: Parameters<typeof firmwareSlots>[0]['catalogue'], wanted: readonly object[] = []) =>
    firmwareSlots({
      components: undefined,
      server: {
        metadata: { name: 'a' },
        spec: { firmwares: wanted as readonly { name: string }[] },
        status: {
          firmwares: [nic('BCM57414', '110217', '22.31'), nic('ConnectX', '110222', '26.36')],
          bios: { version: '1' },
        },
      },
      catalogue,
    }).filter(({ component }) => component === 'nic');
  const catalogue = [
    entry('nic', '22.71', '110217'),
    entry('nic', '26.36', '110222'),
    entry('nic', '26.39', '110222'),
    entry('nic', '99', 'of another card'),
  ];
  const wanted = [
    { name: 'nic', manufacturer: 'Dell Inc.', version: '22.71' },
    { name: 'nic', manufacturer: 'Dell Inc.', softwareId: '110222', version: '26.36' },
  ];
  assert.deepEqual(
    known(catalogue, wanted).map(({ product, desired, available, isAsWanted }) => [
      product,
      desired,
      available,
      isAsWanted,
    ]),
    [
      ['BCM57414', '22.71', ['22.71'], false],
      ['ConnectX', '26.36', ['26.39', '26.36'], true],
    ],
  );
  assert.deepEqual(
    known([entry('nic', '99', 'of another card')]).map(({ available }) => available),
    [[], []],
  );
});

test('a live update offers what the API takes and the host has', () => {
  const told = (...names: string[]) =>
    updatableComponents({
      metadata: { name: 'a' },
      status: { components: names.map((component) => ({ component })) },
    });
  assert.deepEqual(told('nic:eno2', 'bmc', 'cpld', 'bios', 'nic:eno1'), ['bios', 'bmc', 'nic:eno1', 'nic:eno2']);
  assert.deepEqual(told('bios'), ['bios']);
  assert.deepEqual(updatableComponents(undefined), ['bios', 'bmc']);
});

const entry = (component: string, version: string, ...model: string[]) => ({
  ...{ uuid: `${component} ${version} ${model}`, component, vendor: 'hpe', version, model, repository_url: '' },
});

test('firmware of parts is found in the catalogue by what is installed of them', async () => {
  const all = [
    ...[entry('bios', '2.0', 'Server'), entry('bios', '2.1', 'Server'), entry('bmc', '9', 'Other Server')],
    ...[entry('psu', '2.00', 'id-7', 'Supply'), entry('psu', '2.03', 'id-7'), entry('psu', '5', 'id-8')],
    // Makers of parts publish for servers too.
    { ...entry('nic', '22', 'Server'), vendor: 'broadcom' },
  ];
  const asked: string[] = [];
  const read = async <T>(_path: string, query: Readonly<Record<string, string>> = {}): Promise<readonly T[]> => {
    asked.push(new URLSearchParams(query).toString());
    const { model, component, version, vendor } = query;
    const found = all.filter(
      (each) =>
        (vendor === undefined || each.vendor === vendor) &&
        (model === undefined || each.model.includes(model)) &&
        (component === undefined || each.component === component) &&
        (version === undefined || each.version === version),
    );
    return found as unknown as readonly T[];
  };
  const installed = [
    { component: 'bios', version: '2.0' },
    { component: 'psu', version: '2.00' },
    { component: 'tpm', version: '' },
    // Another model has a BMC of this version; it is none for this one.
    { component: 'bmc', version: '9' },
  ];
  const catalogue = await readCatalogue({ vendor: 'HPE', model: 'Server', installed }, read);
  assert.deepEqual(catalogue.map(({ component, version }) => `${component} ${version}`).sort(), [
    ...['bios 2.0', 'bios 2.1', 'nic 22', 'psu 2.00', 'psu 2.03'],
  ]);
  assert.equal(asked.length, 4, asked.join());
});

test('the timeline has operations and events, newest first', () => {
  const operationHistory = {
    register: { start: '2026-01-01T00:00:00Z', end: '2026-01-01T00:00:05Z' },
    service: { start: '2026-01-03T00:00:00Z', end: null },
  };
  const events = [
    { metadata: { name: 'e' }, type: 'Warning', reason: 'Slow', count: 2, lastTimestamp: '2026-01-02T00:00:00Z' },
  ];
  const moments = timelineOf({ metadata: { name: 'a' }, status: { operationHistory } }, events);
  assert.deepEqual(
    moments.map(({ title, text, tone }) => [title, text.trim(), tone]),
    [
      ['Live update', 'goes on', 'busy'],
      ['Slow', '(2 times)', 'warn'],
      ['Registered', 'took 5 s', 'good'],
    ],
  );
});

const record: ConditionRecord = {
  ...{ id: '1', target: 't', kind: 'firmwareInstall', state: 'active', status: { percent: 40, message: 'flashing' } },
  ...{ parameters: {}, controller: null, client: 'ann', priority: 0, reason: null, cancel: null },
  ...{ created_at: '2026-01-01', updated_at: '2026-01-01', finalized_at: null },
};

test('a task says how far it is, and whether it can be cancelled', () => {
  const names = new Map([['t', 'r01-s01']]);
  const row = toTaskRow(record, names);
  assert.deepEqual([row.server, row.kind, row.word, row.percent], ['r01-s01', 'Firmware install', 'active', 40]);
  assert.equal(row.noCancel, undefined);
  const stopping = toTaskRow({ ...record, cancel: { at: '', by: 'ann' } }, names);
  assert.deepEqual([stopping.word, stopping.noCancel], ['stopping', 'It stops at its next safe point.']);
  const reason = { code: 'Cancelled', message: 'cancelled by ann', since: '' };
  const over = toTaskRow({ ...record, state: 'failed', reason, finalized_at: '2026-01-02' }, names);
  assert.deepEqual([over.word, over.noCancel, over.percent], ['cancelled', 'It is over.', undefined]);
});

test('a count says when there are more', () => {
  assert.equal(countText(undefined), '…');
  assert.equal(countText({ records: [1, 2], isMore: false }), '2');
  assert.equal(countText({ records: [1, 2], isMore: true }), '2+');
});
