import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firmwareForTests } from '../testing/fake-inventory.ts';
import { imageA, imageB, serverA, serverB, setA } from '../testing/orc-rig.ts';
import type { StartOrc } from './orc-contract.ts';

/** For tests: asking for work, and what is refused. */
export function tryCreating(start: StartOrc): void {
  const path = `/servers/${serverA}/condition`;

  describe('asking for work', () => {
    test("the document's request: kind in any case, the set at the top, answered with the record", async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      rig.inventory.sets.set(setA, [firmwareForTests(imageB, { component: 'bmc' }), firmwareForTests(imageA)]);
      const answer = await rig.call('POST', path, { kind: 'FirmwareInstall', 'firmware-set-id': setA });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { record } = answer;
      assert.equal(record.kind, 'firmwareInstall');
      assert.equal(record.state, 'pending');
      assert.equal(record.target, serverA);
      assert.equal(record.client, 'dustin');
      assert.equal(record.facility, 'fc1');
      assert.equal(record.controller, null);
      assert.equal(record.created_at, record.createdAt);
      assert.match(record.lock, /./);
      const firmwares = record.parameters.firmwares as { id: string; URL: string; checksum: string }[];
      assert.deepEqual(
        firmwares.map(({ id }) => id),
        [imageA, imageB],
      );
      assert.equal(firmwares[0]?.URL, 'http://127.0.0.1:1/bios.bin');
      assert.deepEqual(
        answer.conditions.map(({ kind, unit, unit_index }) => [kind, unit, unit_index]),
        [['firmwareInstall', record.id, 0]],
      );
    });

    test('the plan is frozen: a set that is changed later changes nothing, and asking again is another order', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
      const first = await rig.call('POST', `/servers/${serverA}/firmwareInstall`, { firmware_set_id: setA });
      assert.equal(first.status, 200);
      assert.equal(first.body.message, 'firmware install scheduled');
      rig.inventory.sets.set(setA, [firmwareForTests(imageA, { version: '9' })]);
      const again = await rig.call('POST', `/servers/${serverA}/firmwareInstall`, { firmware_set_id: setA });
      assert.equal(again.status, 409);
      assert.equal(again.record.id, first.record.id);
      assert.deepEqual(again.record.parameters, first.record.parameters);
    });

    test('asking twice for the same through two doors is one condition with one id', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
      const one = await rig.call('POST', path, { kind: 'firmwareInstall', parameters: { firmware_set_id: setA } });
      const two = await rig.call('POST', `/servers/${serverA}/firmwareInstall`, {
        'firmware-set-id': setA.toUpperCase(),
      });
      assert.equal(two.status, 200);
      assert.equal(two.record.id, one.record.id);
    });

    test('one that is un-finalized with other parameters is 409 with the current record, on every path', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      const first = await rig.call('POST', `/servers/${serverA}/biosControl`, { action: 'reset_config' });
      assert.equal(first.status, 200);
      const others = await Promise.all([
        rig.call('POST', path, { kind: 'BIOSCONTROL', parameters: { action: 'set_config' } }),
        rig.call('POST', `${path}/biosControl`, { parameters: { action: 'set_config' } }),
        rig.call('POST', `/servers/${serverA}/biosControl`, { action: 'set_config' }),
      ]);
      for (const other of others) {
        assert.equal(other.status, 409);
        assert.equal(other.body.code, 'conflict');
        assert.equal(other.record.id, first.record.id);
        assert.equal(other.record.lock, first.record.lock);
      }
    });

    test("kinds that shipped under other names are the document's", async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      await rig.addMachine(serverB);
      const inventory = await rig.call('POST', `${path}/inventory`, {
        parameters: { asset_id: serverA, inventory_method: 'outofband' },
      });
      assert.equal(inventory.record.kind, 'inventoryOOB');
      const cycle = await rig.call('POST', `/servers/${serverB}/condition/serverControl`, {
        parameters: { asset_id: serverB, action: 'set_power_state', action_parameter: 'cycle' },
      });
      assert.equal(cycle.record.kind, 'powerCycleHard');
    });

    test('an inventory of an operator and an install are each of its own fate, whichever comes first', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
      assert.equal((await rig.call('POST', path, { kind: 'inventoryOOB' })).status, 200);
      const order = { kind: 'firmwareInstall', firmware_set_id: setA };
      const first = await rig.call('POST', path, order);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.deepEqual(
        first.conditions.map(({ kind }) => kind),
        ['firmwareInstall'],
      );
      const again = await rig.call('POST', path, order);
      assert.deepEqual([again.status, again.record.id], [200, first.record.id]);
      await rig.call('POST', `${path}/inventoryOOB/cancel`, {});
      const later = await rig.call('POST', path, order);
      assert.deepEqual([later.status, later.record.id], [200, first.record.id]);
      const scan = await rig.call('POST', path, { kind: 'inventoryOOB' });
      assert.equal(scan.record.unit, scan.record.id);
      await rig.call('POST', `/conditions/${first.record.id}/cancel`, {});
      assert.equal((await rig.call('GET', `/conditions/${scan.record.id}`)).record.state, 'pending');
      await rig.call('POST', path, order);
      rig.inventory.sets.set(setA, [firmwareForTests(imageB)]);
      assert.equal((await rig.call('POST', path, order)).status, 409);
    });

    test('images are given by id or whole', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
      const whole = { component: 'nic', vendor: 'intel', version: '1', URL: 'http://127.0.0.1:1/x' };
      const answer = await rig.call('POST', `/servers/${serverA}/firmwareInstall`, { firmwares: [imageA, whole] });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const firmwares = answer.record.parameters.firmwares as { id?: string; version: string }[];
      assert.deepEqual(
        firmwares.map(({ id, version }) => [id, version]),
        [
          [imageA, '2.1.0'],
          [undefined, '1'],
        ],
      );
    });

    test('an image that is given whole takes the right to write firmware, by whichever way it comes (security.md: image-rights, role-rest-operator)', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
      const whole = { component: 'bios', vendor: 'dell', version: '1', URL: 'http://169.254.169.254/latest/meta-data' };
      const server = `/servers/${serverA}`;
      const onCall = 'orders';
      for (const [way, body] of [
        [`${server}/firmwareInstall`, { firmwares: [imageA, whole] }],
        [path, { kind: 'firmwareInstall', parameters: { firmwares: [whole] } }],
        [`${path}/firmwareInstallInband`, { parameters: { firmwares: [whole] } }],
        [path, { kind: 'virtualMediaMount', parameters: { image_uri: 'http://evil.example/boot.iso' } }],
        [`${server}/biosControl`, { action: 'set_config', bios_config_url: 'http://10.0.0.1/admin' }],
      ] as const) {
        const { status, body: answer } = await rig.call('POST', way, body, onCall);
        assert.equal(status, 403, JSON.stringify(answer));
        assert.match(String(answer.message), /may not create firmware/);
      }
      assert.deepEqual((await rig.engine.list({})).conditions, []);
      const named = await rig.call('POST', `${server}/firmwareInstall`, { firmwares: [imageA] }, onCall);
      assert.equal(named.status, 200, JSON.stringify(named.body));
      const { lock, parameters } = named.record;
      const at = `/conditions/${named.record.id}`;
      const bad = { lock, parameters: { ...parameters, firmwares: [whole] } };
      assert.equal((await rig.call('PUT', at, bad, onCall)).status, 403);
      const good = { lock, parameters: { ...parameters, force_install: true } };
      const changed = await rig.call('PUT', at, good, onCall);
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
    });

    test('fifty at once create exactly one', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      const order = { kind: 'powerCycleHard' };
      const answers = await Promise.all(Array.from({ length: 50 }, () => rig.call('POST', path, order)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      assert.equal(new Set(answers.map(({ record }) => record.id)).size, 1);
      const created = answers.filter(({ body }) => body.message === 'condition set');
      assert.equal(created.length, 1);
      assert.equal((await rig.engine.list({})).conditions.length, 1);
    });

    test('fifty at once with different parameters: one is created, and the others are told which', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          rig.call('POST', path, { kind: 'biosControl', parameters: { action: `a${index}` } }),
        ),
      );
      const [winner, ...more] = answers.filter(({ status }) => status === 200);
      assert.equal(more.length, 0);
      const losers = answers.filter(({ status }) => status === 409);
      assert.equal(losers.length, 49);
      for (const loser of losers) assert.equal(loser.record.id, winner?.record.id);
    });

    test('a full queue is 429, and nothing is stored', async (t) => {
      const rig = await start(t, { limits: { pending: 1 } });
      await rig.addMachine(serverA);
      await rig.addMachine(serverB);
      assert.equal((await rig.call('POST', path, { kind: 'powerOn' })).status, 200);
      const full = await rig.call('POST', `/servers/${serverB}/condition`, { kind: 'powerOn' });
      assert.equal(full.status, 429);
      assert.match(String(full.body.message), /resource exhausted/);
      assert.equal((await rig.engine.list({})).conditions.length, 1);
    });
  });

  describe('what cannot be taken is refused with reasons, and nothing is stored', () => {
    const refused: readonly [name: string, path: string, body: unknown, status: number, says: RegExp][] = [
      ['an unknown server', `/servers/${serverB}/condition`, { kind: 'powerOn' }, 404, /no server/],
      ['no UUID', '/servers/x/condition', { kind: 'powerOn' }, 400, /uuid/],
      ['an unknown kind', path, { kind: 'makeCoffee' }, 400, /makeCoffee.*firmwareInstall/],
      ['a kind that is SQL', path, { kind: "x'; DROP TABLE conditions; --" }, 400, /no kind/],
      ['an unknown parameter', path, { kind: 'powerOn', parameters: { now: true } }, 400, /now is not known/],
      ['a misspelt member', path, { kind: 'powerOn', parametres: {} }, 400, /parametres/],
      ['no kind', path, {}, 400, /lacks kind/],
      ['no object', path, [], 400, /object/],
      ['no JSON', path, '{', 400, /not JSON/],
      ['parameters that are no object', path, { kind: 'powerOn', parameters: 'on' }, 400, /object/],
      ['a zero byte', path, { kind: 'powerOn\0' }, 400, /U\+0000/],
      ['half a surrogate', path, '{"kind":"\\ud800"}', 400, /surrogate/],
      ['a member __proto__', path, '{"kind":"powerOn","parameters":{"__proto__":{}}}', 400, /__proto__/],
      ['a priority out of range', path, { kind: 'powerOn', priority: 1e9 }, 400, /priority/],
      ['an unknown set', path, { kind: 'firmwareInstall', firmware_set_id: setA }, 400, /no firmware set/],
      [
        'a set that is no UUID',
        path,
        { kind: 'firmwareInstall', parameters: { firmware_set_id: 7 } },
        400,
        /not a UUID/,
      ],
      ['an unknown image', path, { kind: 'firmwareInstall', parameters: { firmwares: [imageA] } }, 400, /no firmware/],
      ['nothing to install', path, { kind: 'firmwareInstall' }, 400, /nothing is to be installed/],
      ['another server', path, { kind: 'powerOn', parameters: { asset_id: serverB } }, 400, /another server/],
      [
        'two sets',
        path,
        { kind: 'firmwareInstall', 'firmware-set-id': setA, firmware_set_id: imageA },
        400,
        /more than once/,
      ],
      ['a fault', `${path}/powerOn`, { fault: { panic: true } }, 400, /fault/],
    ];
    for (const [name, where, body, status, says] of refused) {
      test(name, async (t) => {
        const rig = await start(t);
        await rig.addMachine(serverA);
        const answer = await rig.call('POST', where, body);
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        assert.match(String(answer.body.error), says);
        assert.equal((await rig.engine.list({ isWithHistory: true })).conditions.length, 0);
      });
    }

    test('a body of 10 MiB, on every path that takes one', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      const large = `{"kind":"powerOn","parameters":{"x":"${'x'.repeat(10 * 1024 * 1024)}"}}`;
      for (const [method, where] of [
        ['POST', path],
        ['POST', `${path}/powerOn`],
        ['PUT', path],
        ['POST', `/servers/${serverA}/firmwareInstall`],
        ['POST', `/servers/${serverA}/biosControl`],
        ['POST', '/serverEnroll'],
        ['POST', '/validateFirmware'],
        ['POST', '/workers/report'],
      ] as const) {
        // The connection is closed while it still sends, so that a client may see that instead of the answer.
        const answer = await rig.call(method, where, large).catch((error: Error) => error);
        if (!(answer instanceof Error)) assert.equal(answer.status, 413, where);
      }
      assert.equal((await rig.engine.list({ isWithHistory: true })).conditions.length, 0);
    });

    test('whoever may only read', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      assert.equal((await rig.call('POST', path, { kind: 'powerOn' }, 'reader')).status, 403);
      assert.equal((await rig.call('POST', path, { kind: 'powerOn' }, '')).status, 401);
      assert.equal((await rig.call('POST', path, { kind: 'powerOn' }, 'conditions')).status, 200);
    });

    test('an inventory that fails is 500 or 503 and not a wrong answer', async (t) => {
      const rig = await start(t);
      await rig.addMachine(serverA);
      rig.inventory.failure = Object.assign(new Error('away'), { status: 503, code: 'away' });
      const answer = await rig.call('POST', path, { kind: 'firmwareInstall', firmware_set_id: setA });
      assert.equal(answer.status, 503);
    });
  });
}
