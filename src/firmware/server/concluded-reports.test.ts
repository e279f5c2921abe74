import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFirmware, ServerFirmwareStatus } from '../../api/index.ts';
import { createFakeClock, type KubeClient, kubeError } from '../../kube/index.ts';
import { compareVersions } from '../compare-versions.ts';
import { createFleet } from '../fleet/fleet.ts';
import { firmwareIndexers, type OwnedFirmware, serverIndexers } from '../fleet/objects.ts';
import { createTable, type ObjectTable } from '../fleet/table.ts';
import type { ServerReport } from '../reports/merge-report.ts';
import { defaultFirmwareSettings as settings } from '../settings.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, aServer, noOwnership } from '../testing/server-seen.ts';
import { createConcludedReports } from './concluded-reports.ts';
import { decideServer } from './decide-server.ts';
import { desiredHash, desiredOf } from './desired.ts';

const clock = createFakeClock();
const wanted = aFirmware({ firmwares: [fw('ssd', '2.0')] });
const hash = desiredHash(desiredOf(wanted, 'Lenovo'));
const time = new Date(clock.now()).toISOString();
const updating: ServerFirmwareStatus = {
  lastScanTime: time,
  firmwares: [fw('ssd', '1.0')],
  request: { kind: 'Update', jobID: 'job-1', time, desiredHash: hash },
};
const report: ServerReport = {
  server: 'foo',
  kind: 'Update',
  conditionId: 'job-1',
  store: 'a',
  sequence: 7,
  at: clock.now(),
  installed: [fw('ssd', '2.0')],
};

function seenAs(status: ServerFirmwareStatus, resourceVersion = '1'): OwnedFirmware {
  return { ...wanted, metadata: { ...wanted.metadata, resourceVersion }, status };
}

/** A cache whose next versions come when a write has met a conflict. */
function setUp(...versions: readonly OwnedFirmware[]) {
  let at = 0;
  const patches: { readonly metadata: object; readonly status: ServerFirmwareStatus }[] = [];
  const plain: ServerReport[] = [];
  const tables = () => createTable(versions.slice(at, at + 1), firmwareIndexers);
  const firmwares: ObjectTable<OwnedFirmware> = {
    get: (key) => tables().get(key),
    list: () => tables().list(),
    byIndex: (index, value) => tables().byIndex(index, value),
  };
  const servers = createTable([{ ...aServer(), ownership: noOwnership }], serverIndexers);
  const patch = async (_: unknown, { body }: { readonly body: (typeof patches)[number] }): Promise<void> => {
    patches.push(body);
    if (at === versions.length - 1) return;
    setImmediate(() => {
      at += 1;
    });
    throw kubeError('Conflict', 'it has changed');
  };
  const client = { resource: () => ({ status: { patch } }) } as unknown as KubeClient;
  const reports = createConcludedReports({
    client,
    clock: { ...clock, after: (_, callback) => ({ cancel: clearImmediate.bind(undefined, setImmediate(callback)) }) },
    fleet: createFleet({ servers, firmwares, groups: createTable<never>([]) }),
    reading: { compare: compareVersions, settings },
    plain: {
      server: async (each) => {
        plain.push(each);
        return 'written';
      },
      newest: async () => 0,
      wait: async () => 'stale',
      discovery: async () => 'written',
    },
  });
  return { reports, patches, plain };
}

function conditionIn(status: ServerFirmwareStatus | undefined, type: string): string | undefined {
  return status?.conditions?.find((each) => each.type === type)?.status;
}

test('what a job found and what that means are one write, after which the controller has nothing to write', async () => {
  const { reports, patches, plain } = setUp(seenAs(updating));
  assert.equal(await reports.server(report), 'written');
  assert.equal(plain.length, 0);
  assert.deepEqual(patches[0]?.metadata, { resourceVersion: '1', uid: 'firmware-uid' });
  const { request, ...changed } = (patches[0]?.status ?? {}) as ServerFirmwareStatus & { request: unknown };
  assert.equal(request, null);
  assert.equal(changed.report?.sequence, 7);
  assert.equal(conditionIn(changed, 'UpToDate'), 'True');
  const { request: _, ...before } = updating;
  const after: ServerFirmware['status'] = { ...before, ...changed };
  const { effects, status } = decideServer(
    {
      firmware: seenAs(after),
      server: aServer(),
      bmc: undefined,
      discovered: undefined,
      duplicateOf: undefined,
      hold: undefined,
      compare: compareVersions,
      settings,
    },
    clock.now(),
  );
  assert.deepEqual(effects, []);
  assert.deepEqual(status, after);
});

test('where something is to be done, the report is written alone', async () => {
  const { reports, patches, plain } = setUp(seenAs({}));
  // What a scan found is not what is wanted: an update follows.
  await reports.server({ ...report, kind: 'Scan', installed: [fw('ssd', '1.0')] });
  assert.equal(patches.length, 0);
  assert.equal(plain.length, 1);
});

test('where somebody is to be told of it, the report is written alone', async () => {
  const attempts = { desiredHash: hash, failed: settings.maxAttempts - 1, lastFailureTime: time, message: 'no' };
  const { reports, patches, plain } = setUp(seenAs({ ...updating, attempts }));
  await reports.server({ ...report, installed: [fw('ssd', '1.0')], failure: { reason: 'FlashFailed', message: 'no' } });
  assert.equal(patches.length, 0);
  assert.equal(plain.length, 1);
});

test('a failed attempt that is made again later is counted once', async () => {
  const { reports, patches } = setUp(seenAs(updating));
  await reports.server({ ...report, installed: [fw('ssd', '1.0')], failure: { reason: 'FlashFailed', message: 'no' } });
  assert.equal(patches[0]?.status.attempts?.failed, 1);
  const inVain = setUp(seenAs(updating));
  await inVain.reports.server({ ...report, installed: [fw('ssd', '1.0')] });
  assert.equal(inVain.patches[0]?.status.attempts?.failed, 1);
});

test('after a conflict it is concluded from what was in the way; nothing older is written over it', async () => {
  const { request: _, ...unasked } = updating;
  const late = setUp(seenAs(unasked, '1'), seenAs(updating, '2'));
  assert.equal(await late.reports.server(report), 'written');
  assert.deepEqual(
    late.patches.map(({ metadata }) => metadata),
    [
      { resourceVersion: '1', uid: 'firmware-uid' },
      { resourceVersion: '2', uid: 'firmware-uid' },
    ],
  );
  assert.equal(late.plain.length, 0);
  const newer = { ...updating, report: { conditionID: 'job-2', store: 'a', sequence: 8 } };
  const overtaken = setUp(seenAs(updating, '1'), seenAs(newer, '2'));
  await overtaken.reports.server(report);
  assert.equal(overtaken.patches.length, 1);
  // Whether it is really out of date is asked of the API server.
  assert.equal(overtaken.plain.length, 1);
});

test('a server without an object is left to whoever asks the API server', async () => {
  const { reports, plain } = setUp(seenAs(updating));
  await reports.server({ ...report, server: 'nobody' });
  assert.equal(plain.length, 1);
});
