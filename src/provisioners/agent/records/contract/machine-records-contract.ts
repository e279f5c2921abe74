import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Database, migrate } from '../../../../engine/index.ts';
import type { MachineDetails } from '../../../discovery-source.ts';
import type { MachineRecord } from '../machine-record.ts';
import type { MachineRecords } from '../machine-records.ts';
import { machineMigrations, machineSchema, openMachineRecords } from '../sql-machines.ts';

/** A kind of database that machines are kept in. */
export interface RecordsTarget {
  readonly name: string;
  /** Opens a new, empty database; `again` is one more connection to it, where several processes can have one. */
  open(): Promise<{ readonly database: Database; again?(): Promise<Database> }>;
}

const details: MachineDetails = { hardware: { ramMebibytes: 1024 }, hostname: 'm', serialNumber: 'S1' };
const macOf = (number: number): string => `52:54:00:00:00:${number.toString(16).padStart(2, '0')}`;

function machineOf(number: number, more: Partial<MachineRecord> = {}): MachineRecord {
  const bootMac = macOf(number);
  return { id: `m${number}`, bootMac, macs: [bootMac], introducedAtMs: number, use: 'unused', ...more };
}

/** Puts machines one after the other, as introductions do. */
async function put(records: MachineRecords, ...machines: readonly MachineRecord[]): Promise<void> {
  for (const machine of machines) await records.settle(machine, () => ({ put: machine, details }));
}

const idsOf = (machines: readonly { readonly id: string }[]): readonly string[] => machines.map(({ id }) => id).sort();

/** What every store of machines keeps. */
export function describeMachineRecords(target: RecordsTarget): void {
  const open = async (t: TestContext, unclaimed = 100) => {
    const { database, again } = await target.open();
    t.after(() => database.close());
    const records = await openMachineRecords(database, { unclaimed });
    const other = async (): Promise<MachineRecords> => {
      if (again === undefined) return records;
      const second = await again();
      t.after(() => second.close());
      return openMachineRecords(second, { unclaimed });
    };
    return { database, records, other };
  };

  describe(`machines on ${target.name}`, () => {
    test('are there as they were put, by id, by host and in the list', async (t) => {
      const { records } = await open(t);
      const host = { namespace: 'fleet', name: 'a' };
      const machine = machineOf(1, {
        ...{ host, serialNumber: 'S1', heardAtMs: 1_790_000_000_000, introducedAtMs: 1_790_000_000_000 },
        token: { digest: 'd', expiresAtMs: 1_790_000_000_000 },
      });
      await put(records, machine, machineOf(2, { introducedAtMs: undefined }));
      assert.deepEqual(await records.read('m1'), machine);
      assert.deepEqual(await records.ofHost(host), machine);
      assert.equal(await records.ofHost({ ...host, name: 'b' }), undefined);
      assert.deepEqual(await records.readDetails('m1'), details);
      assert.equal(await records.read('m3'), undefined);
      assert.equal(await records.readDetails('m3'), undefined);
      const listed = (await records.list()).toSorted((left, right) => left.id.localeCompare(right.id));
      assert.deepEqual(listed, [
        { id: 'm1', bootMac: macOf(1), macs: [macOf(1)], isAutoDiscovered: true, sinceMs: 1_790_000_000_000 },
        { id: 'm2', bootMac: macOf(2), macs: [macOf(2)], isAutoDiscovered: false },
      ]);
    });

    test('keep what they told when they change, and what is the same is not written', async (t) => {
      const { database, records } = await open(t);
      await put(records, machineOf(1));
      const changed = await records.change('m1', (now) => ({ ...now, maintenance: 'a fan' }));
      assert.equal(changed?.maintenance, 'a fan');
      assert.deepEqual(await records.readDetails('m1'), details);
      const { statements } = database.counts;
      assert.deepEqual(await records.change('m1', () => undefined), changed);
      assert.equal(database.counts.statements - statements, 1);
      assert.equal(await records.change('m9', () => assert.fail('it is not there')), undefined);
    });

    test('are alike where one boots from a MAC that the other has, and not by one that both have inside', async (t) => {
      const { records } = await open(t);
      const inner = 'be:3a:f2:b6:05:9f';
      const host = { namespace: 'fleet', name: 'b' };
      await put(
        records,
        machineOf(1, { macs: [macOf(1), inner] }),
        machineOf(2, { macs: [macOf(2), inner, macOf(12)], host }),
      );
      assert.deepEqual(idsOf(await records.alike(machineOf(3, { macs: [macOf(3), inner] }))), []);
      assert.deepEqual(idsOf(await records.alike(machineOf(3, { macs: [macOf(3), macOf(1), macOf(2)] }))), [
        'm1',
        'm2',
      ]);
      assert.deepEqual(idsOf(await records.alike(machineOf(12))), ['m2']);
      const both = await records.alike(machineOf(3, { bootMac: inner, macs: [inner] }));
      assert.deepEqual(
        both.map(({ id }) => id),
        ['m2', 'm1'],
        'those that hosts have come first',
      );
      assert.deepEqual(await records.alike({ bootMac: macOf(9), macs: [] }), []);
    });

    test('lose MACs that they do not have any more, and all of them when they are forgotten', async (t) => {
      const { records } = await open(t);
      await put(records, machineOf(1, { macs: [macOf(1), macOf(11)] }), machineOf(1, { macs: [macOf(1), macOf(21)] }));
      assert.deepEqual(await records.alike(machineOf(11)), []);
      assert.deepEqual(idsOf(await records.alike(machineOf(21))), ['m1']);
      await records.forget('m1');
      assert.deepEqual(await records.alike(machineOf(21)), []);
      assert.deepEqual(await records.list(), []);
    });

    test('that were removed tell nothing and are not listed', async (t) => {
      const { records } = await open(t);
      await put(records, machineOf(1));
      await records.change('m1', (now) => ({ ...now, isRemoved: true }));
      assert.deepEqual(await records.list(), []);
      assert.equal(await records.readDetails('m1'), undefined);
      assert.equal((await records.read('m1'))?.isRemoved, true);
    });

    test('that are worked on are counted', async (t) => {
      const { records } = await open(t);
      const work = { kind: 'provision', mark: 'x', stage: 'write' } as const;
      const command = { id: 'c', name: 'n', givenAtMs: 1 };
      await put(records, machineOf(1), machineOf(2, { work: { ...work, command } }));
      assert.equal(await records.countWorking(), 1);
      await records.change('m2', (now) => ({
        ...now,
        work: { ...work, command: { ...command, end: { failure: 'f' } } },
      }));
      assert.equal(await records.countWorking(), 0);
    });

    test('that no host has make room for new ones, the first that came first, and removed ones last', async (t) => {
      const { records } = await open(t, 2);
      const host = { namespace: 'fleet', name: 'a' };
      await put(records, machineOf(1, { isRemoved: true }), machineOf(2, { host }), machineOf(3));
      const machine = machineOf(4);
      const { crowdedOut } = await records.settle(machine, () => ({ put: machine }));
      assert.equal(crowdedOut, 1);
      assert.equal(await records.read('m3'), undefined);
      assert.deepEqual(idsOf(await records.list()), ['m2', 'm4']);
      assert.notEqual(await records.read('m1'), undefined);
    });

    test('of one host are one: the second is refused, and nothing of it stays', async (t) => {
      const { records } = await open(t);
      const host = { namespace: 'fleet', name: 'a' };
      await put(records, machineOf(1, { host }));
      await assert.rejects(put(records, machineOf(2, { host })));
      assert.equal(await records.read('m2'), undefined);
      assert.deepEqual(await records.alike(machineOf(2)), []);
    });

    test('that introduce themselves all at once, to several processes, all get in', async (t) => {
      const { records, other } = await open(t);
      const both = [records, await other()];
      await Promise.all(Array.from({ length: 60 }, (_, number) => put(both[number % 2] ?? records, machineOf(number))));
      assert.equal((await records.list()).length, 60);
    });

    test('with one MAC that come at once see each other: one of them is new', async (t) => {
      const { records, other } = await open(t);
      const both = [records, await other()];
      const settled = await Promise.all(
        Array.from({ length: 12 }, async (_, number) => {
          const machine = machineOf(1, { id: `m${number}` });
          const { decided } = await (both[number % 2] ?? records).settle(machine, (known) => ({
            ...(known.length === 0 ? { put: machine } : {}),
            isNew: known.length === 0,
          }));
          return decided.isNew;
        }),
      );
      assert.equal(settled.filter((isNew) => isNew).length, 1);
      assert.equal((await records.list()).length, 1);
    });

    test('that several claim at once have one host', async (t) => {
      const { records, other } = await open(t);
      const both = [records, await other()];
      await put(records, machineOf(1));
      const claims = await Promise.all(
        Array.from({ length: 12 }, async (_, number) => {
          const name = `h${number}`;
          const claim = (now: MachineRecord) =>
            now.host === undefined ? { ...now, host: { namespace: 'fleet', name } } : undefined;
          return (await (both[number % 2] ?? records).change('m1', claim))?.host?.name === name;
        }),
      );
      assert.equal(claims.filter((isMine) => isMine).length, 1);
    });

    test('of the first version are taken over with their MACs', async (t) => {
      const { database, again } = await target.open();
      t.after(() => database.close());
      await migrate(database, machineMigrations.slice(0, 1), { schema: machineSchema });
      const machine = machineOf(1, { macs: [macOf(1), macOf(11)] });
      await database.write(async (tx) => {
        await tx.run(
          `INSERT INTO agent_machines
           (id, boot_mac, macs, namespace, name, is_own, is_removed, is_working, introduced_ms, details, record)
           VALUES (?, ?, ?, NULL, NULL, 1, 0, 0, 1, ?, ?)`,
          ...[machine.id, machine.bootMac, JSON.stringify(machine.macs), JSON.stringify(details)],
          JSON.stringify(machine),
        );
        for (const mac of machine.macs) await tx.run('INSERT INTO agent_macs (mac, machine) VALUES (?, ?)', mac, 'm1');
      });
      const second = await again?.();
      if (second !== undefined) t.after(() => second.close());
      const all = [database, ...(second === undefined ? [] : [second])];
      const opened = await Promise.all(all.map((each) => openMachineRecords(each, { unclaimed: 100 })));
      for (const records of opened) {
        assert.deepEqual(await records.alike(machineOf(11)), [machine]);
        assert.deepEqual(await records.readDetails('m1'), details);
      }
      const [records = assert.fail()] = opened;
      await put(records, machineOf(2, { macs: [macOf(2), macOf(11)] }));
      assert.deepEqual(idsOf(await records.alike(machineOf(11))), ['m1', 'm2']);
    });
  });
}
