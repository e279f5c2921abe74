import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { ServerFirmwareStatus } from '../../api/index.ts';
import { isAnswered } from '../server/server-facts.ts';
import { fw } from '../testing/rig.ts';
import { mergeDiscoveryReport, mergeServerReport, type ServerReport } from './merge-report.ts';

const at = Date.UTC(2030, 0, 1);
const report = (sequence: number, more: Partial<ServerReport> = {}): ServerReport => ({
  server: 's',
  kind: 'Scan',
  conditionId: `c${sequence}`,
  store: 'a',
  sequence,
  at,
  installed: [fw('ssd', String(sequence))],
  ...more,
});

const found = { name: 'd', conditionId: 'c', store: 'a', sequence: 1, at } as const;

test('in whatever order and however often reports come, the status ends as the newest says', () => {
  const sequences = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 });
  fc.assert(
    fc.property(sequences, (order) => {
      let status: ServerFirmwareStatus | undefined;
      for (const sequence of order) {
        const merged = mergeServerReport(status === undefined ? {} : { status }, report(sequence));
        status = merged ?? status;
      }
      const newest = Math.max(...order);
      assert.deepEqual([status?.report?.sequence, status?.firmwares], [newest, [fw('ssd', String(newest))]]);
    }),
  );
});

test('the BIOS has a place of its own too, and a part that is told twice is there once', () => {
  const installed = [fw('BIOS', '2.1', 'Dell Inc.'), fw('nic', '1'), fw('nic', '1')];
  const status = mergeServerReport({}, report(1, { installed }));
  assert.deepEqual([status?.bios, status?.firmwares], [{ version: '2.1' }, installed.slice(0, 2)]);
  assert.equal(status?.lastScanTime, '2030-01-01T00:00:00Z');
});

test('what an object cannot hold is cut or left out, so that the rest is told', () => {
  const parts = Array.from({ length: 1200 }, (_, at) => fw('nic', '1', `Maker ${at}`));
  const installed = [fw('bios', '2'.repeat(300), ''), fw('', '1'), fw('ssd', ''), fw('ssd', '1'.repeat(300)), ...parts];
  const status = mergeServerReport({}, report(1, { installed }));
  assert.deepEqual([status?.bios?.version.length, status?.firmwares?.length], [253, 1000]);
  const [bios, ...others] = status?.firmwares ?? [];
  assert.deepEqual([bios?.manufacturer, ...others.slice(0, 2)], ['', fw('ssd', '1'.repeat(253)), parts[0]]);
  const available = [...installed, fw('gpu', '1')].map(({ version, ...part }) => ({
    ...part,
    versions: [version, '3'],
  }));
  const spec = { manufacturer: 'Dell Inc.', model: 'R750' };
  const seen = mergeDiscoveryReport({ spec }, { ...found, available });
  assert.deepEqual([seen?.bios?.versions, seen?.firmwares?.length], [['3'], 256]);
  assert.deepEqual(seen?.firmwares?.[0]?.versions, ['3']);
});

test('a status lists as many ids of a part as an object holds', () => {
  const ids = Array.from({ length: 30 }, (_, at) => `id-${at}`);
  const part = { ...fw('nic', '2.0'), softwareId: 'id', otherSoftwareIds: ['', 'x'.repeat(300), ...ids] };
  const { firmwares } = mergeServerReport({}, report(1, { installed: [part] })) ?? {};
  assert.deepEqual(firmwares, [{ ...part, otherSoftwareIds: ids.slice(0, 20) }]);
});

test('a failed update counts against its list, a cancelled one and one of another door do not', () => {
  const request = { kind: 'Update', jobID: 'c5', time: '2030-01-01T00:00:00Z', desiredHash: 'h' } as const;
  const failure = { reason: 'FlashFailed', message: 'no' };
  const merge = (more: Partial<ServerReport>) =>
    mergeServerReport({ status: { request } }, report(5, { kind: 'Update', ...more }));
  const failed = merge({ failure });
  assert.deepEqual([failed?.attempts?.desiredHash, failed?.attempts?.failed, failed?.request], ['h', 1, undefined]);
  const cancelled = merge({ failure: { ...failure, reason: 'Cancelled' } });
  assert.deepEqual([cancelled?.attempts, cancelled?.request], [undefined, undefined]);
  const other = merge({ failure, conditionId: 'c9' });
  assert.deepEqual([other?.attempts, other?.request], [undefined, request]);
  assert.deepEqual(merge({})?.request, { ...request, report: 5 });
});

const [oldBoard, newBoard] = ['0a1b2c3d-1111-4222-8333-444455556666', '99999999-1111-4222-8333-444455556666'];

test('what was read of a board that was swapped since is not shown, and whoever waits for it asks anew', () => {
  const request = { kind: 'Scan', jobID: 'c5', time: '2030-01-01T00:00:00Z' } as const;
  const status = { systemUUID: newBoard, request };
  const merged = mergeServerReport({ status }, report(5, { machine: oldBoard }));
  assert.deepEqual(merged, { systemUUID: newBoard, report: { conditionID: 'c5', store: 'a', sequence: 5 } });
  const failure = { reason: 'OtherMachine', message: 'it is another machine' };
  const failed = mergeServerReport({ status }, report(5, { machine: oldBoard, installed: undefined, failure }));
  assert.deepEqual(failed, merged);
});

test('what was read of the machine that the Server is is shown, however its UUID is written', () => {
  for (const machine of [oldBoard.toUpperCase(), '3d2c1b0a-1111-2242-8333-444455556666', undefined]) {
    const merged = mergeServerReport({ status: { systemUUID: oldBoard } }, report(5, { machine }));
    assert.deepEqual([merged?.firmwares, merged?.systemUUID], [[fw('ssd', '5')], oldBoard]);
  }
  assert.equal(mergeServerReport({}, report(5, { machine: oldBoard }))?.systemUUID, oldBoard);
});

test('a failed update of a board that was swapped since does not count against the new one', () => {
  const openUpdate = {
    kind: 'Update',
    jobID: 'c5',
    time: '2030-01-01T00:00:00Z',
    desiredHash: 'of another machine',
  } as const;
  const status = { systemUUID: newBoard, openUpdate };
  const failure = { reason: 'OtherMachine', message: 'it is another machine' };
  const merged = mergeServerReport({ status }, report(5, { kind: 'Update', machine: oldBoard, failure }));
  assert.deepEqual([merged?.attempts, merged?.request, merged?.openUpdate], [undefined, undefined, undefined]);
});

test('a failed scan leaves what is known, and a good one forgets the failed ones', () => {
  const first = mergeServerReport({}, report(1));
  const failed = mergeServerReport(
    { status: first ?? {} },
    { ...report(2), installed: undefined, failure: { reason: 'X', message: 'm' } },
  );
  assert.deepEqual([failed?.firmwares, failed?.failedScans?.failed], [[fw('ssd', '1')], 1]);
  assert.equal(mergeServerReport({ status: failed ?? {} }, report(3))?.failedScans, undefined);
});

test('discovery keeps the newest versions, as many as the object stores', () => {
  const spec = { manufacturer: 'Dell Inc.', model: 'R750', versionsToStore: 2 };
  const available = [
    { name: 'bios', manufacturer: 'Dell Inc.', versions: ['1', '2', '3'] },
    { name: 'nic', manufacturer: 'Intel', versions: ['7', '8', '9', '9'] },
  ];
  const status = mergeDiscoveryReport({ spec }, { ...found, available });
  assert.deepEqual(status?.bios, { versions: ['2', '3'] });
  assert.deepEqual(status?.firmwares, [
    { name: 'nic', manufacturer: 'Intel', version: ['8', '9'], versions: ['8', '9'] },
  ]);
});

test('several parts of one class and maker are listed, each with its own version', () => {
  const nic = { name: 'nic', manufacturer: 'Broadcom', model: 'BCM5720', softwareId: '' };
  const installed = [
    { ...nic, slot: 'NIC.1', version: '22.31' },
    { ...nic, slot: 'NIC.2', version: '22.00' },
    { ...nic, slot: 'NIC.2', version: '21.00' },
  ];
  const status = mergeServerReport({}, report(1, { installed }));
  const { softwareId: _, ...shown } = nic;
  assert.deepEqual(status?.firmwares, [
    { ...shown, slot: 'NIC.1', version: '22.31' },
    { ...shown, slot: 'NIC.2', version: '22.00' },
  ]);
});

test('what is found under two names of one firmware is there once, and the BIOS under any of its names', () => {
  const status = mergeServerReport({}, report(1, { installed: [fw('UEFI', '7', 'Dell Inc.')] }));
  assert.deepEqual(status?.bios, { version: '7' });
  const available = [
    { name: 'System ROM', manufacturer: 'Dell Inc.', versions: ['1.0.0'] },
    { name: 'ssd', manufacturer: 'Intel', versions: ['1.0.0', '1.2.0'] },
    { name: 'drive', manufacturer: 'Intel(R)', versions: ['1.1.0'] },
  ];
  const spec = { manufacturer: 'Dell Inc.', model: 'R750', versionsToStore: 2 };
  const discovered = mergeDiscoveryReport({ spec }, { ...found, available });
  const versions = ['1.1.0', '1.2.0'];
  assert.deepEqual(
    [discovered?.bios, discovered?.firmwares],
    [{ versions: ['1.0.0'] }, [{ name: 'ssd', manufacturer: 'Intel', version: versions, versions }]],
  );
});

const openUpdate = { kind: 'Update', jobID: 'c5', time: '2030-01-01T00:00:00Z', desiredHash: 'h' } as const;

test('the answer to an open request is known whatever another job reports after it, and whichever is written first', () => {
  const ours = report(5, { kind: 'Update' });
  const theirs = report(6, { conditionId: 'another door' });
  for (const order of [
    [ours, theirs],
    [theirs, ours],
    [ours, theirs, ours, theirs],
  ]) {
    let status: ServerFirmwareStatus = { request: openUpdate };
    for (const each of order) status = mergeServerReport({ status }, each) ?? status;
    assert.equal(isAnswered(status), true);
    assert.deepEqual([status.report?.sequence, status.request?.report, status.firmwares], [6, 5, [fw('ssd', '6')]]);
  }
  const unanswered = mergeServerReport({ status: { request: openUpdate } }, theirs);
  assert.equal(isAnswered(unanswered), false);
});

test('a request that failed is over and counted once, though a newer report was written before', () => {
  const failure = { reason: 'FlashFailed', message: 'no' };
  const newer = mergeServerReport({ status: { request: openUpdate } }, report(6)) ?? {};
  const late = report(5, { kind: 'Update', failure, installed: [fw('ssd', 'old')] });
  const status = mergeServerReport({ status: newer }, late);
  assert.deepEqual([status?.request, status?.attempts?.failed, status?.firmwares], [undefined, 1, [fw('ssd', '6')]]);
  assert.equal(mergeServerReport({ status: status ?? {} }, late), undefined);
  const scan = { ...newer, request: { ...openUpdate, kind: 'Scan' } } as const;
  const merged = mergeServerReport({ status: scan }, report(5, { failure, installed: undefined }));
  assert.deepEqual([isAnswered(merged), merged?.failedScans], [true, undefined]);
});

test('a discovery that ended is over, though somebody reported newer versions meanwhile', () => {
  const spec = { manufacturer: 'Dell Inc.', model: 'R750', versionsToStore: 2 };
  const request = { kind: 'Discovery', jobID: 'c5', time: '2030-01-01T00:00:00Z' } as const;
  const available = [{ name: 'bios', manufacturer: 'Dell Inc.', versions: ['2'] }];
  const told = { name: 'd', store: 'a', at, available };
  const newer = mergeDiscoveryReport({ spec, status: { request } }, { ...told, conditionId: 'c6', sequence: 6 });
  const late = { ...told, conditionId: 'c5', sequence: 5, available: [] };
  const status = mergeDiscoveryReport({ spec, status: newer ?? {} }, late);
  assert.deepEqual([status?.request, status?.bios], [undefined, { versions: ['2'] }]);
});

test('numbers of another store, or of nobody knows which, hide nothing; those of the same store still do', () => {
  const known = { conditionID: 'lost', sequence: 5000 };
  for (const before of [known, { ...known, store: 'lost' }]) {
    const first = mergeServerReport({ status: { report: before } }, report(1)) ?? {};
    assert.deepEqual(
      [first.report, first.firmwares],
      [{ conditionID: 'c1', store: 'a', sequence: 1 }, [fw('ssd', '1')]],
    );
    const second = mergeServerReport({ status: first }, report(2)) ?? {};
    assert.equal(mergeServerReport({ status: second }, report(1)), undefined);
  }
  const spec = { manufacturer: 'Dell Inc.', model: 'R750' };
  const status = { report: { ...known, store: 'lost' } };
  assert.equal(mergeDiscoveryReport({ spec, status }, { ...found, available: [] })?.report?.store, 'a');
});

test('a discovery that was asked for and told nothing newer has failed, so that the next one waits', () => {
  const spec = { manufacturer: 'Dell Inc.', model: 'R750' };
  const request = { kind: 'Discovery', jobID: 'c', time: '2030-01-01T00:00:00Z' } as const;
  const status = { request, report: { conditionID: 'x', store: 'a', sequence: 9 } };
  const old = { ...status, lastDiscoveryTime: '2029-12-31T00:00:00Z' };
  for (const before of [status, old]) {
    const merged = mergeDiscoveryReport({ spec, status: before }, { ...found, available: [] });
    assert.deepEqual([merged?.request, merged?.failedRuns?.failed], [undefined, 1]);
  }
});
