import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../simulator/index.ts';
import { isBmcError, readPower, type TlsTrust } from '../../src/bmc/index.ts';
import { testCases } from './fault-case.ts';
import { changes, openRoom } from './fault-room.ts';
import { machineFaultCases } from './machine-fault-cases.ts';

testCases(machineFaultCases);

const room = { seed: 14, servers: personalityNames.length, personalities: personalityNames, isPlain: false };

test('certificate-changed: the client fails: another certificate than the pinned one gets no password, and both are told', async (t) => {
  const { each, dataCentre } = await openRoom(t, room);
  const pins = new Map<string, TlsTrust & { kind: 'fingerprint' }>();
  for (const bmc of dataCentre.bmcs) {
    pins.set(bmc.name, { kind: 'fingerprint', sha256: (await bmc.fingerprint()) ?? '' });
  }
  const trustOf = async ({ name }: { readonly name: string }) =>
    pins.get(name) ?? ({ kind: 'system', allowsHttp: true } as const);
  await each(({ bmc }) => readPower(bmc), { trustOf });
  dataCentre.setFaults([{ kind: 'certificate-changed' }]);
  await each(
    async (visit) => {
      const { bmc, running, machine } = visit;
      const told = await readPower(bmc).catch((error: unknown) => error);
      assert.ok(isBmcError(told, 'certificate'), String(told));
      const plain = (text: string) => text.replaceAll(':', '').toLowerCase();
      const now = plain((await running.fingerprint()) ?? '');
      const pinned = plain(pins.get(running.name)?.sha256 ?? '');
      assert.notEqual(now, pinned);
      assert.ok(told.message.includes(running.url), told.message);
      assert.ok(plain(told.message).includes(now), `it shows ${now}: ${told.message}`);
      assert.ok(plain(told.message).includes(pinned), `pinned is ${pinned}: ${told.message}`);
      assert.deepEqual(changes(visit, /^POST/), [], 'nobody logs in to a stranger');
      assert.equal(machine.sessions.all.length, 0);
      // Whoever looked at it and pins the new one goes on.
      await readPower(visit.connect({ trust: { kind: 'fingerprint', sha256: now } }));
    },
    { trustOf },
  );
});
