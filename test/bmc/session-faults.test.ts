import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../simulator/index.ts';
import { isBmcError, readInventory, readPower } from '../../src/bmc/index.ts';
import { sleep } from '../../src/kube/index.ts';
import { testCases } from './fault-case.ts';
import { changes, openRoom, type Visit } from './fault-room.ts';
import { sessionFaultCases } from './session-fault-cases.ts';

testCases(sessionFaultCases);

const hour = 3_600_000;
const room = { seed: 12, servers: personalityNames.length, personalities: personalityNames };

function refusedLogIns({ events }: Visit): number {
  return events('account.refused').length;
}

test('wrong credentials are tried once by each who has them, and never so often that the account is locked', async (t) => {
  const { each } = await openRoom(t, room);
  await each(async (visit) => {
    const { personality, machine } = visit;
    const { lockoutThreshold } = machine.personality.limits;
    const wrong = ['guess-1', 'guess-2', 'guess-3', 'guess-4', 'guess-5', 'guess-6'];
    const callers = wrong.flatMap((password) => [visit.connect({ password }), visit.connect({ password })]);
    for (const bmc of [...callers, ...callers]) {
      await assert.rejects(readPower(bmc), (error) => isBmcError(error, 'credentials', 'busy'));
    }
    const refused = refusedLogIns(visit);
    assert.ok(refused >= 1 && refused <= 2, `${personality}: ${refused} refused log-ins`);
    if (lockoutThreshold > 0) assert.ok(refused < lockoutThreshold, personality);
  });
});

test('wrong credentials fail with who, where and what happens next, and are not tried again within the hour', async (t) => {
  const { each } = await openRoom(t, room);
  await each(
    async (visit) => {
      const { bmc, running, clock } = visit;
      const ask = () => readInventory(bmc).catch((error: unknown) => error);
      const told = await ask();
      assert.ok(isBmcError(told, 'credentials'), String(told));
      assert.match(told.message, /refused the credentials of user \S+; no further log-in is tried until they change/);
      assert.ok(told.message.includes(running.url) && told.message.includes(running.username));
      assert.ok(!told.message.includes('not-it'));
      for (let minutes = 0; minutes < 50; minutes += 5) {
        await sleep(clock, 5 * 60_000);
        assert.ok(isBmcError(await ask(), 'credentials'));
      }
      assert.equal(refusedLogIns(visit), 1);
      // The right ones are taken at once: nobody has to wait for the hour to be over.
      await readPower(visit.connect({ password: running.password }));
      assert.equal(refusedLogIns(visit), 1);
    },
    { password: 'not-it' },
  );
});

test('wrong credentials tried for days by several callers never lock the account', async (t) => {
  const { each } = await openRoom(t, room);
  await each(
    async (visit) => {
      for (let hours = 0; hours < 48; hours += 1) {
        for (const bmc of [visit.connect(), visit.connect({ password: 'neither' })]) {
          await assert.rejects(readPower(bmc), (error) => isBmcError(error, 'credentials', 'busy'));
        }
        await sleep(visit.clock, hour);
      }
      assert.ok(refusedLogIns(visit) > 10, 'they are tried now and then');
    },
    { password: 'not-it' },
  );
});

test('when all sessions are taken by others, one is opened as soon as one is free, and nobody else is thrown out', async (t) => {
  const { each, clock } = await openRoom(t, room);
  await each(async (visit) => {
    const { machine, bmc, personality } = visit;
    const others: string[] = [];
    for (;;) {
      const session = machine.sessions.open(machine.accounts.username);
      if (session === 'exhausted') break;
      others.push(session.id);
    }
    assert.equal(others.length, machine.personality.limits.sessions, personality);
    clock.after(800, () => void machine.sessions.close(others.pop() ?? ''));
    await readPower(bmc);
    assert.ok(changes(visit, /^POST \S*\/Sessions (4|5)\d\d/).length > 0, personality);
    assert.deepEqual(
      machine.sessions.all.map(({ id }) => id).filter((id) => others.includes(id)),
      others,
      'the sessions of others are left alone',
    );
    for (const id of others) machine.sessions.close(id);
  });
});

test('a session that could not be ended is remembered, and ended by the next log-out', async (t) => {
  const { each, dataCentre } = await openRoom(t, room);
  await each(async (visit) => {
    const { bmc, machine, running } = visit;
    await readPower(bmc);
    dataCentre.setFaults([{ kind: 'busy', method: 'DELETE' }]);
    await bmc.gate.logOut();
    assert.equal(machine.sessions.all.length, 1, `${running.name}: the BMC was too busy to log out`);
    dataCentre.setFaults([]);
  });
});
