import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Firmware, ServerFirmwareStatus } from '../../api/index.ts';
import { checkTable, type Wake } from '../../kube/index.ts';
import { conditionOf } from '../conditions.ts';
import { entryKey, type Ownership } from '../fleet/ownership.ts';
import { plannedBmc } from '../testing/plan-facts.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, aServer, seenOf } from '../testing/server-seen.ts';
import { textOfMoment } from '../times.ts';
import { decideServer, type ServerDecision } from './decide-server.ts';
import { desiredHash } from './desired.ts';
import { serverTable } from './server-table.ts';

const now = Date.UTC(2030, 0, 1);
const minute = 60_000;
const ago = (minutes: number): string => textOfMoment(now - minutes * minute);
const scanned = (minutes: number, ...firmwares: Firmware[]): ServerFirmwareStatus => ({
  lastScanTime: ago(minutes),
  firmwares,
});
const kinds = ({ effects }: ServerDecision): string[] => effects.map(({ kind }) => kind);
const reasonOf = ({ status }: ServerDecision, type: string): string | undefined =>
  conditionOf(status?.conditions, type)?.reason;
const after = (minutes: number): Wake => ({ after: minutes * minute });

test('the table of states reaches every state, leaves every busy one, and is never in doubt', () => {
  assert.deepEqual(checkTable(serverTable), []);
});

describe('scans', () => {
  const cases: [string, ServerFirmwareStatus | undefined, string[], Wake][] = [
    [
      'a server that was never scanned is scanned, and nothing wakes it but the result',
      undefined,
      ['scan'],
      { on: 'change' },
    ],
    ['D6: within the threshold it looks again exactly when the threshold passes', scanned(10), [], after(20)],
    ['at the very moment the threshold passes it is scanned', scanned(30), ['scan'], { on: 'change' }],
    ['a scan a moment before is fresh', { lastScanTime: textOfMoment(now - 30 * minute + 1000) }, [], { after: 1000 }],
    ['a scan in a far future was a wrong clock', { lastScanTime: '2099-01-01T00:00:00Z' }, ['scan'], { on: 'change' }],
    ['a time that is none counts as never', { lastScanTime: '01-01-2001 01:00:00x' }, ['scan'], { on: 'change' }],
    ['after a failed scan it waits', { failedScans: { failed: 1, lastFailureTime: ago(0) } }, [], after(1)],
    ['after more failed scans it waits longer', { failedScans: { failed: 4, lastFailureTime: ago(1) } }, [], after(7)],
    ['and then tries again', { failedScans: { failed: 1, lastFailureTime: ago(1) } }, ['scan'], { on: 'change' }],
  ];
  for (const [what, status, effects, wake] of cases) {
    test(what, () => {
      const decision = decideServer(seenOf(aFirmware({}, status === undefined ? {} : { status })), now);
      assert.deepEqual([kinds(decision), decision.wake], [effects, wake]);
    });
  }

  test('a threshold of ages, which nobody refused, is no reason to give up', () => {
    const decision = decideServer(
      seenOf(aFirmware({ scanThreshold: `${'9'.repeat(40)}h` }, { status: scanned(10) })),
      now,
    );
    assert.deepEqual([kinds(decision), reasonOf(decision, 'Scanned')], [[], 'WithinThreshold']);
  });

  test('a scan that is under way is not asked for again, until it has been lost for long', () => {
    const open = (minutes: number) => ({ request: { kind: 'Scan', jobID: 'j1', time: ago(minutes) } as const });
    assert.deepEqual(kinds(decideServer(seenOf(aFirmware({}, { status: open(59) })), now)), []);
    assert.deepEqual(kinds(decideServer(seenOf(aFirmware({}, { status: open(60) })), now)), ['scan']);
  });
});

describe('updates', () => {
  const wanted = aFirmware(
    { firmwares: [fw('ssd', '2.0'), fw('nic', '1.0')] },
    { status: scanned(1, fw('ssd', '1.0'), fw('nic', '1.0')) },
  );

  test('only what differs is asked for, with the whole list as its name', () => {
    const decision = decideServer(seenOf(wanted), now);
    const [effect] = decision.effects;
    assert.equal(effect?.kind, 'update');
    assert.deepEqual(effect.kind === 'update' && effect.request.firmwares, [fw('ssd', '2.0')]);
    assert.equal(decision.status?.request?.desiredHash, desiredHash([fw('nic', '1.0'), fw('ssd', '2.0')]));
    assert.deepEqual(decision.wake, { on: 'change' });
    assert.equal(reasonOf(decision, 'Progressing'), 'UpdateRequested');
  });

  test('D4: an update that was wanted during a scan is asked for when the scan has reported', () => {
    const request = { kind: 'Scan', jobID: 'j1', time: ago(1) } as const;
    const during = { ...wanted, status: { ...wanted.status, request } };
    assert.deepEqual(kinds(decideServer(seenOf(during), now)), []);
    const reported = { ...during, status: { ...during.status, report: { conditionID: 'j1', sequence: 1 } } };
    assert.deepEqual(kinds(decideServer(seenOf(reported), now)), ['update']);
  });

  test('D8: versions are compared as their vendor writes them', () => {
    const same = aFirmware(
      { bios: { version: '2.10' }, firmwares: [fw('bmc', 'v2.72', 'HPE')] },
      {
        status: {
          ...scanned(1, fw('bmc', 'iLO 5 v2.72 Sep 04 2022', 'Hewlett Packard Enterprise')),
          bios: { version: 'U46 v2.10 (05/17/2023)' },
        },
      },
    );
    const server = aServer({ manufacturer: 'HPE', bios: { version: 'U46 v2.10 (05/17/2023)' } });
    const decision = decideServer(seenOf(same, { server }), now);
    assert.deepEqual([kinds(decision), reasonOf(decision, 'UpToDate')], [[], 'AsWanted']);
  });

  test('D1, D2: after a restart the request in the status is still known, and no second one is sent', () => {
    const first = decideServer(seenOf(wanted), now);
    const kept = {
      ...wanted,
      status: { ...first.status, request: { ...first.status?.request, jobID: 'j1' } } as ServerFirmwareStatus,
    };
    const later = decideServer(seenOf(kept), now + 20 * minute);
    assert.deepEqual([kinds(later), later.wake], [[], { on: 'change' }]);
  });

  test('a list that changes while an update runs takes the old one back and asks for the new one', () => {
    const request = { kind: 'Update', jobID: 'j1', time: ago(1), desiredHash: 'another list' } as const;
    const changed = { ...wanted, status: { ...wanted.status, request } };
    assert.deepEqual(kinds(decideServer(seenOf(changed), now)), ['withdraw', 'update']);
  });

  test('an object that nothing keeps is kept before it asks for an update, and let go when it is deleted', () => {
    const { finalizers: _, ...metadata } = wanted.metadata;
    const unheld = { ...wanted, metadata };
    assert.deepEqual(kinds(decideServer(seenOf(unheld), now)), ['hold', 'update']);
    const request = { kind: 'Update', jobID: 'j1', time: ago(1), desiredHash: 'of another list' } as const;
    const deleted = { ...wanted.metadata, deletionTimestamp: ago(0) };
    const waiting = { ...wanted, metadata: deleted, status: { ...wanted.status, request } };
    assert.deepEqual(kinds(decideServer(seenOf(waiting), now)), ['withdraw', 'let-go']);
    assert.deepEqual(
      kinds(decideServer(seenOf({ ...unheld, metadata: { ...metadata, deletionTimestamp: ago(0) } }), now)),
      [],
    );
  });

  const hash = desiredHash(wanted.spec.firmwares ?? []);
  const tried = (failed: number, minutes: number, annotations = {}) =>
    seenOf({
      ...wanted,
      metadata: { ...wanted.metadata, annotations },
      status: {
        ...wanted.status,
        attempts: { desiredHash: hash, failed, lastFailureTime: ago(minutes), message: 'bad.' },
      },
    });

  test('failed attempts wait longer each time', () => {
    assert.deepEqual(decideServer(tried(1, 0), now).wake, after(1));
    assert.deepEqual(decideServer(tried(2, 0), now).wake, after(2));
    assert.deepEqual(kinds(decideServer(tried(2, 2), now)), ['update']);
  });

  test('failures in a far future were a wrong clock: they count as of now, and are tried again after the usual wait', () => {
    const far = '2099-01-01T00:00:00Z';
    const failedScans = { failed: 1, lastFailureTime: far };
    const attempts = { desiredHash: hash, failed: 1, lastFailureTime: far };
    for (const [status, again] of [
      [{ failedScans }, 'scan'],
      [{ ...wanted.status, attempts }, 'update'],
    ] as const) {
      const decision = decideServer(seenOf({ ...wanted, status }), now);
      assert.deepEqual([kinds(decision), decision.wake], [[], after(1)]);
      const later = { ...wanted, status: decision.status as ServerFirmwareStatus };
      assert.deepEqual(kinds(decideServer(seenOf(later), now + minute)), [again]);
    }
  });

  test('after three failed attempts the same list waits for somebody, though it is still scanned', () => {
    const stalled = decideServer(tried(3, 60), now);
    assert.deepEqual([kinds(stalled), stalled.wake], [[], after(29)]);
    assert.equal(reasonOf(stalled, 'Stalled'), 'AttemptsExhausted');
    assert.deepEqual(
      stalled.events?.map(({ reason }) => reason),
      ['AttemptsExhausted'],
    );
    const known = { ...tried(3, 60).firmware, status: stalled.status as ServerFirmwareStatus };
    assert.deepEqual(kinds(decideServer(seenOf(known), now + 30 * minute)), ['scan']);
    assert.deepEqual(decideServer(seenOf(known), now).events, []);
  });

  test('a list that gave up stays so while the server is scanned, and is told of once', () => {
    const stalled = decideServer(tried(3, 60), now);
    const scanning = decideServer(
      seenOf({ ...wanted, status: stalled.status as ServerFirmwareStatus }),
      now + 30 * minute,
    );
    const sinceOf = ({ status }: ServerDecision) => conditionOf(status?.conditions, 'Stalled')?.lastTransitionTime;
    assert.deepEqual(
      [kinds(scanning), reasonOf(scanning, 'Stalled'), reasonOf(scanning, 'UpToDate'), sinceOf(scanning)],
      [['scan'], 'AttemptsExhausted', 'AttemptsExhausted', sinceOf(stalled)],
    );
    const { request: _, ...rest } = scanning.status ?? {};
    const reported = { ...rest, lastScanTime: textOfMoment(now + 31 * minute) };
    const after = decideServer(seenOf({ ...wanted, status: reported }), now + 31 * minute);
    assert.deepEqual(
      [reasonOf(after, 'Stalled'), sinceOf(after), after.events],
      ['AttemptsExhausted', sinceOf(stalled), []],
    );
  });

  test('another list is another thing to try', () => {
    const { firmware } = tried(3, 60);
    const changed = { ...firmware, spec: { ...firmware.spec, firmwares: [fw('ssd', '3.0'), fw('nic', '1.0')] } };
    const decision = decideServer(seenOf(changed), now);
    assert.deepEqual([kinds(decision), decision.status?.attempts], [['update'], undefined]);
  });

  test('a retry forgets the attempts first and the annotation when that is written down', () => {
    const retry = { 'metal.ironcore.dev/operation': 'retry' };
    const first = decideServer(tried(3, 60, retry), now);
    assert.deepEqual([kinds(first), first.status?.attempts], [['update'], undefined]);
    const status = { ...first.status, request: { ...first.status?.request, jobID: 'j1' } } as ServerFirmwareStatus;
    const second = decideServer(seenOf({ ...tried(3, 60, retry).firmware, status }), now);
    assert.deepEqual(kinds(second), ['consume-retry']);
  });

  test('an update that ended well and changed nothing has failed, once', () => {
    const request = { kind: 'Update', jobID: 'j1', time: ago(5), desiredHash: hash } as const;
    const status = { ...wanted.status, request, report: { conditionID: 'j1', sequence: 7 } };
    const first = decideServer(seenOf({ ...wanted, status }), now);
    assert.equal(first.status?.attempts?.failed, 1);
    assert.match(first.status?.attempts?.message ?? '', /ssd \(ACME\) should be 2\.0 and is 1\.0/);
    const second = decideServer(seenOf({ ...wanted, status: first.status as ServerFirmwareStatus }), now + minute / 2);
    assert.equal(second.status?.attempts?.failed, 1);
  });

  test('entries of a group that halted or is paused are not installed, what the user wants is', () => {
    const hold = { code: 'GroupHalted', message: 'the group g has halted' };
    const grouped = aFirmware({ firmwares: [fw('ssd', '2.0')] }, { group: 'g', status: scanned(1, fw('ssd', '1.0')) });
    const held = decideServer(seenOf(grouped, { hold }), now);
    assert.deepEqual([kinds(held), reasonOf(held, 'UpToDate'), held.wake], [[], 'GroupHalted', after(29)]);
    const own = {
      ...grouped,
      ownership: { ...grouped.ownership, isBiosTaken: true },
      spec: { ...grouped.spec, bios: { version: '9' } },
      status: { ...grouped.status, bios: { version: '8' } },
    };
    const [effect] = decideServer(seenOf(own, { hold }), now).effects.filter(({ kind }) => kind === 'update');
    assert.deepEqual(effect?.kind === 'update' && effect.request.firmwares, [fw('bios', '9', 'Lenovo')]);
  });

  test('an update that waits its turn is taken back when its group halts', () => {
    const grouped = aFirmware({ firmwares: [fw('ssd', '2.0')] }, { group: 'g', status: scanned(1, fw('ssd', '1.0')) });
    const request = {
      kind: 'Update',
      jobID: 'j1',
      time: ago(1),
      desiredHash: desiredHash([fw('ssd', '2.0')]),
    } as const;
    const seen = seenOf(
      { ...grouped, status: { ...grouped.status, request } },
      { hold: { code: 'GroupHalted', message: 'm' } },
    );
    assert.deepEqual(kinds(decideServer(seen, now)), ['withdraw']);
  });

  describe('of a list of which a group wants a part', () => {
    const hold = { code: 'GroupPaused', message: 'the group g is paused' };
    const list = [fw('ssd', '2.0'), fw('nic', '5.0')];
    const [ofGroup, ofUser] = list.map((each) => new Set([entryKey(each)]));
    const ownership = { groupEntries: ofGroup, otherEntries: ofUser, otherItems: ofUser } as Partial<Ownership>;
    const installed = [fw('ssd', '1.0'), fw('nic', '4.0')];
    const mixed = (status: ServerFirmwareStatus) => aFirmware({ firmwares: list }, { group: 'g', ownership, status });
    const sent = ({ status }: ServerDecision): ServerFirmwareStatus['request'] =>
      status?.request === undefined ? undefined : { ...status.request, jobID: 'j1' };
    const asked = ({ effects }: ServerDecision): readonly Firmware[] =>
      effects.flatMap((each) => (each.kind === 'update' ? each.request.firmwares : []));
    const known = (decision: ServerDecision, more: ServerFirmwareStatus = {}): ServerFirmwareStatus =>
      ({ ...decision.status, request: sent(decision), ...more }) as ServerFirmwareStatus;

    test('an update of both that waits its turn is taken back when the group is paused, and the rest is asked for', () => {
      const both = decideServer(seenOf(mixed(scanned(1, ...installed))), now);
      assert.deepEqual(asked(both), list);
      const paused = decideServer(seenOf(mixed(known(both)), { hold }), now);
      assert.deepEqual(kinds(paused), ['withdraw', 'update']);
      const [withdrawal] = paused.effects;
      assert.equal(withdrawal?.kind === 'withdraw' && withdrawal.reason, hold.message);
      assert.deepEqual(asked(paused), [fw('nic', '5.0')]);
      const keys = [both, paused].flatMap(({ effects }) =>
        effects.flatMap((each) => (each.kind === 'update' ? each.key : [])),
      );
      assert.notEqual(keys[0], keys[1]);
      const waiting = decideServer(seenOf(mixed(known(paused)), { hold }), now);
      assert.deepEqual([kinds(waiting), reasonOf(waiting, 'UpToDate')], [[], 'Updating']);
    });

    test('an update of the rest that ended well has not failed when the group goes on', () => {
      const part = decideServer(seenOf(mixed(scanned(1, ...installed)), { hold }), now);
      const status = known(part, {
        firmwares: [fw('ssd', '1.0'), fw('nic', '5.0')],
        report: { conditionID: 'j1', sequence: 7 },
      });
      const gone = decideServer(seenOf(mixed(status)), now);
      assert.deepEqual([gone.status?.attempts, asked(gone)], [undefined, [fw('ssd', '2.0')]]);
    });

    test('an update of the rest that ended well and changed nothing has failed', () => {
      const part = decideServer(seenOf(mixed(scanned(1, ...installed)), { hold }), now);
      const status = known(part, { report: { conditionID: 'j1', sequence: 7 } });
      assert.equal(decideServer(seenOf(mixed(status), { hold }), now).status?.attempts?.failed, 1);
    });

    test('a pause changes nothing for an update of the rest when all of the group is installed', () => {
      const rest = decideServer(seenOf(mixed(scanned(1, fw('ssd', '2.0'), fw('nic', '4.0')))), now);
      assert.deepEqual(asked(rest), [fw('nic', '5.0')]);
      assert.deepEqual(kinds(decideServer(seenOf(mixed(known(rest)), { hold }), now)), []);
    });
  });
});

describe('the BIOS', () => {
  test('that only follows the server is never taken back to what the server had before', () => {
    const follows = aFirmware(
      { bios: { version: '1.0' } },
      { status: { ...scanned(1), bios: { version: '2.0' } }, ownership: { isBiosTaken: false, isBiosOurs: true } },
    );
    const decision = decideServer(seenOf(follows, { server: aServer({ bios: { version: '1.0' } }) }), now);
    assert.deepEqual(kinds(decision), ['tell-bios', 'follow-bios']);
    assert.equal(reasonOf(decision, 'UpToDate'), 'NoTarget');
  });

  test('that a user owns is wanted, and not followed', () => {
    const owned = aFirmware({ bios: { version: '3.0' } }, { status: { ...scanned(1), bios: { version: '2.0' } } });
    const decision = decideServer(seenOf(owned, { server: aServer({ bios: { version: '2.0' } }) }), now);
    assert.deepEqual(kinds(decision), ['update']);
  });
});

describe('a server is left alone', () => {
  const cases: [string, Parameters<typeof seenOf>[1], string][] = [
    ['that does not exist', { server: undefined }, 'ServerNotFound'],
    ['that another ServerFirmware is about', { duplicateOf: 'older' }, 'DuplicateServer'],
    [
      'that is parked',
      { server: { ...aServer(), metadata: { name: 'foo', annotations: { 'metal.ironcore.dev/parked': 'true' } } } },
      'ServerParked',
    ],
    [
      'that is opted out',
      { server: { ...aServer(), metadata: { name: 'foo', labels: { 'metal.ironcore.dev/exclude': '' } } } },
      'Excluded',
    ],
    [
      'whose BMC is opted out',
      { bmc: { ...plannedBmc('b'), metadata: { name: 'b', labels: { 'metal.ironcore.dev/exclude': '' } } } },
      'BmcExcluded',
    ],
    [
      'that is a duplicate',
      {
        server: aServer({
          conditions: [
            {
              type: 'DuplicateMachine',
              status: 'True',
              reason: 'DuplicateMachine',
              message: 'm',
              lastTransitionTime: ago(1),
            },
          ],
        }),
      },
      'DuplicateMachine',
    ],
  ];
  for (const [what, more, reason] of cases) {
    test(what, () => {
      const decision = decideServer(seenOf(aFirmware({ firmwares: [fw('ssd', '2.0')] }), more), now);
      assert.deepEqual(
        [kinds(decision), reasonOf(decision, 'Progressing'), decision.wake],
        [[], reason, { on: 'change' }],
      );
      const request = {
        kind: 'Update',
        jobID: 'j1',
        time: ago(1),
        desiredHash: desiredHash([fw('ssd', '2.0')]),
      } as const;
      const waiting = aFirmware({ firmwares: [fw('ssd', '2.0')] }, { status: { ...scanned(1), request } });
      assert.deepEqual(kinds(decideServer(seenOf(waiting, more), now)), ['withdraw']);
    });
  }
});
