import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complianceOf, toFirmwareRow } from './firmware-row.ts';
import { describeFirmware, everything, filterHosts, framesOf, racksOf, summarise, troublesOf } from './fleet-view.ts';
import { type HostObject, healthOf, toHostRow } from './host-row.ts';

function hostWith(name: string, status: HostObject['status'] = {}, more: Partial<HostObject> = {}): HostObject {
  return { metadata: { name, namespace: 'fleet' }, spec: { online: true }, status, ...more };
}

const ok = { operationalStatus: 'OK', poweredOn: true, provisioning: { state: 'provisioned' } };

const message = 'the BMC at https://10.0.0.7 cannot be reached: ECONNRESET';
const lost = { type: 'Manageable', status: 'False', reason: 'PowerFailure', message } as const;
const work = { type: 'Progressing', status: 'True', reason: 'FirmwareWork', message: 'others' } as const;

test('how a host is doing: what is broken comes before what is being worked on', () => {
  const rows: [HostObject['status'], string, string][] = [
    [ok, 'good', 'OK'],
    [{ ...ok, poweredOn: false }, 'warn', 'off'],
    [{ ...ok, operationalStatus: 'servicing' }, 'busy', 'live update'],
    [{ ...ok, operationalStatus: 'error', errorType: 'servicing error', errorMessage: 'x' }, 'bad', 'servicing error'],
    [{ ...ok, operationalStatus: 'detached' }, 'warn', 'detached'],
    [{ operationalStatus: 'OK', provisioning: { state: 'inspecting' } }, 'busy', 'inspecting'],
    [{ operationalStatus: 'discovered', provisioning: { state: 'unmanaged' } }, 'idle', 'unmanaged'],
    [{}, 'idle', 'new'],
    [
      { ...ok, conditions: [{ type: 'Healthy', status: 'False', reason: 'FanBroken', message: 'a fan' }] },
      'bad',
      'FanBroken',
    ],
    [{ ...ok, conditions: [lost] }, 'bad', 'BMC unreachable'],
    [{ ...ok, conditions: [{ ...lost, status: 'Unknown', reason: 'BMCNotAnswering' }] }, 'warn', 'unknown'],
    [{ ...ok, conditions: [work] }, 'busy', 'firmware work'],
  ];
  for (const [status, tone, word] of rows) {
    const health = healthOf(hostWith('a', status));
    assert.deepEqual([health.tone, health.word], [tone, word]);
  }
});

test('firmware is as wanted, behind, being updated, stalled or unknown', () => {
  const condition = (type: string, status: 'True' | 'False') => ({ type, status });
  assert.equal(complianceOf([condition('UpToDate', 'True')]).word, 'as wanted');
  assert.equal(complianceOf([condition('UpToDate', 'False')]).word, 'behind');
  assert.equal(complianceOf([condition('UpToDate', 'False'), condition('Progressing', 'True')]).word, 'updating');
  assert.equal(complianceOf([condition('UpToDate', 'False'), condition('Stalled', 'True')]).word, 'stalled');
  const lost = {
    type: 'Progressing',
    status: 'False',
    reason: 'WorkerLost',
    message: 'worker lost, resumes at 10:00',
  } as const;
  const updating = { ...condition('UpToDate', 'False'), reason: 'WorkerLost' };
  assert.deepEqual(complianceOf([updating, lost]), { tone: 'warn', word: 'updating', why: lost.message });
  assert.equal(complianceOf([]).word, 'unknown');
  const undeclared = { type: 'UpToDate', status: 'Unknown', reason: 'NoTarget' } as const;
  assert.deepEqual([complianceOf([undeclared]).tone, complianceOf([undeclared]).word], ['idle', 'no target']);
});

const rows = [
  hostWith('r02-s01', ok),
  hostWith('r10-s01', { ...ok, operationalStatus: 'error', errorMessage: 'no answer', lastUpdated: '2026-01-02' }),
  hostWith('r02-s02', { ...ok, poweredOn: false, lastUpdated: '2026-01-03' }),
].map(toHostRow);
const firmware = new Map([['fleet/r02-s01', toFirmwareRow({ metadata: { name: 'r02-s01-system-0' } })]]);

test('the figure about firmware tells no declared target from one that was never read', () => {
  const counts = (firmwareKnown: number, firmwareAsWanted: number, firmwareUndeclared: number) =>
    Object.values(describeFirmware({ firmwareKnown, firmwareAsWanted, firmwareUndeclared }));
  assert.deepEqual(counts(0, 0, 0), ['not known', 'Firmware compliance']);
  assert.deepEqual(counts(0, 0, 3), ['no target declared', 'Firmware compliance']);
  assert.deepEqual(counts(4, 3, 0), ['75 %', 'Firmware compliance, 1 behind']);
  assert.deepEqual(counts(4, 4, 2), ['100 %', 'Firmware compliance, 2 without a declared target']);
  const undeclared = { type: 'UpToDate', status: 'Unknown', reason: 'NoTarget' };
  const row = toFirmwareRow({ metadata: { name: 'r02-s01-system-0' }, status: { conditions: [undeclared] } } as never);
  assert.equal(summarise(rows, new Map([['fleet/r02-s01', row]])).firmwareUndeclared, 1);
  assert.equal(summarise(rows, firmware).firmwareUndeclared, 0);
});

test('figures, filters and what to look at first agree with each other', () => {
  const summary = summarise(rows, firmware);
  assert.deepEqual([summary.hosts, summary.trouble, summary.on, summary.firmwareKnown], [3, 2, 2, 0]);
  assert.equal(filterHosts(rows, everything, firmware), rows);
  const names = (filter: Partial<typeof everything>) =>
    filterHosts(rows, { ...everything, ...filter }, firmware).map(({ name }) => name);
  assert.deepEqual(names({ only: 'trouble' }), ['r10-s01', 'r02-s02']);
  assert.deepEqual(names({ text: 'R02 off' }), ['r02-s02']);
  assert.deepEqual(names({ state: 'available' }), []);
  assert.deepEqual(
    troublesOf(rows, firmware).map(({ row, isBad }) => [row.name, isBad]),
    [
      ['r10-s01', true],
      ['r02-s02', false],
    ],
  );
});

test('a host whose BMC is lost is in trouble, one that may be is not yet, and firmware work is being worked on', () => {
  const states = [lost, { ...lost, status: 'Unknown', reason: 'BMCNotAnswering' } as const, work];
  const seen = states.map((condition, at) => toHostRow(hostWith(`s${at}`, { ...ok, conditions: [condition] })));
  const { trouble, busy } = summarise(seen, new Map());
  assert.deepEqual([trouble, busy], [1, 1]);
  assert.deepEqual(
    troublesOf(seen, new Map()).map(({ row, word, why }) => [row.name, word, why]),
    [['s0', 'BMC unreachable', message]],
  );
});

test('racks are in the order of their numbers', () => {
  assert.deepEqual(
    racksOf(rows).map(({ name, hosts }) => [name, hosts.length]),
    [
      ['r02', 2],
      ['r10', 1],
    ],
  );
});

test('thousands of hosts without a rack are drawn in parts, each host once', () => {
  const many = Array.from({ length: 5000 }, (_, number) => toHostRow(hostWith(`x${number}`)));
  const frames = framesOf(racksOf(many));
  assert.ok(Math.max(...frames.map(({ hosts }) => hosts.length)) <= 48);
  assert.deepEqual(
    frames.flatMap(({ hosts }) => hosts),
    many,
  );
  assert.deepEqual(frames.at(-1)?.part, { first: 4993, last: 5000, of: 5000 });
  assert.equal(new Set(frames.map(({ key }) => key)).size, frames.length);
  assert.deepEqual(
    framesOf(racksOf(rows)).map(({ key, part }) => [key, part]),
    [
      ['r02', undefined],
      ['r10', undefined],
    ],
  );
});
