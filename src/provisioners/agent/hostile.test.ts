import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fc } from '#fast-check';
import { judgeIntroduction } from './introduction/judge-introduction.ts';
import type { MachineRecord } from './records/machine-record.ts';
import {
  bootToken,
  hostOf,
  inventoryOf,
  macOf,
  type StartedAgents,
  sendRaw,
  startedAgents,
} from './testing/started-agents.ts';

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('inventories that nobody would send', () => {
  const nic = (more: object) => ({ interfaces: [{ name: 'eno1', mac_address: macOf(1, 0), ...more }] });
  const cases: readonly [string, unknown, number, RegExp][] = [
    ['a hostname of a megabyte', inventoryOf(1, { hostname: 'h'.repeat(2 ** 20) }), 413, /larger than 262144/],
    ['a hostname that no DNS takes', inventoryOf(1, { hostname: 'h'.repeat(254) }), 400, /hostname/],
    ['a hostname with a line break', inventoryOf(1, { hostname: 'a\nlevel=error' }), 400, /hostname/],
    ['no interfaces', inventoryOf(1, { interfaces: [] }), 400, /interfaces/],
    ['no MAC at all', inventoryOf(1, { interfaces: [{ name: 'lo' }] }), 400, /none of them has a MAC/],
    ['a MAC that is none', inventoryOf(1, nic({ mac_address: 'nonsense' })), 400, /mac_address/],
    ['the MAC of everybody', inventoryOf(1, nic({ mac_address: 'ff:ff:ff:ff:ff:ff' })), 400, /not the address of one/],
    ['the MAC of nobody', inventoryOf(1, nic({ mac_address: '00:00:00:00:00:00' })), 400, /not the address of one/],
    [
      'a thousand MACs',
      inventoryOf(1, { interfaces: many(1000, (index) => ({ name: 'e', mac_address: macOf(index, 0) })) }),
      400,
      /more than 128/,
    ],
    ['fifty thousand disks', inventoryOf(1, { disks: many(50_000, () => 1) }), 400, /more than 512/],
    ['a hundred thousand disks', inventoryOf(1, { disks: many(100_000, () => 1) }), 400, /more than 100000 values/],
    ['a negative memory', inventoryOf(1, { memory: { physical_mb: -1 } }), 400, /physical_mb/],
    ['a list', [], 400, /body/],
    ['a text', '"hello"', 400, /body/],
    ['half of a body', '{"inventory":', 400, /not JSON/],
    ['a prototype', '{"inventory":{"__proto__":{"a":1}}}', 400, /__proto__/],
    ['deep nesting', `${'['.repeat(5000)}${']'.repeat(5000)}`, 400, /levels deep/],
  ];
  let started: StartedAgents;
  let closing: (() => Promise<void>) | undefined;
  before(async () => {
    started = await startedAgents({
      after: (close) => {
        closing = close;
      },
    });
  });
  after(() => closing?.());
  for (const [name, body, status, message] of cases) {
    test(`one with ${name} is refused`, async () => {
      const answer = await started.introduce(body);
      assert.equal(answer.status, status, JSON.stringify(answer.body).slice(0, 300));
      assert.match(JSON.stringify(answer.body), message);
      assert.ok(JSON.stringify(answer.body).length < 5000, 'what was sent is not sent back');
      assert.deepEqual(await started.agents.source.list(), { kind: 'done', value: [] });
    });
  }

  test('and the endpoint goes on', async () => {
    assert.equal((await started.introduce(inventoryOf(2))).status, 201);
  });

  test('what was wrong is told to whoever looks after the machines, until that address sends a right one', async (t) => {
    const { introduce, agents, clock } = await startedAgents(t);
    const told = async () => {
      const refused = await agents.source.refused?.();
      return refused?.kind === 'done' ? refused.value.map(({ mac, reason }) => `${mac}: ${reason}`) : [];
    };
    for (const hostname of ['h'.repeat(254), 'h'.repeat(100_000)]) await introduce(inventoryOf(1, { hostname }));
    const [first, ...others] = await told();
    assert.match(first ?? '', /^127\.0\.0\.1: a machine at 127\.0\.0\.1 has sent .*hostname/);
    assert.ok((first ?? '').length < 300);
    assert.deepEqual(others, [], 'one address is told of once');
    assert.equal((await introduce(inventoryOf(1))).status, 201);
    assert.deepEqual(await told(), []);
    await introduce(inventoryOf(1, { hostname: 'h'.repeat(254) }));
    await clock.advance(3_600_000);
    assert.deepEqual(await told(), [], 'an hour later it is of no interest any more');
  });

  // Small enough to be sent at once: whoever still sends may see the connection end instead of the answer.
  const limits = { bodyBytes: 4096 };
  const unread: readonly [string, string, RegExp][] = [
    ['is too large', JSON.stringify(inventoryOf(1, { hostname: 'h'.repeat(5000) })), /larger than 4096 bytes/],
    ['is not JSON', '{"inventory":', /not JSON/],
    ['hides lines in its names', '{"a\\nb":"\\u0000"}', /U\+0000/],
  ];
  for (const [name, body, why] of unread) {
    test(`a body that ${name} is counted, and told by the address that it came from, until that sends a right one`, async (t) => {
      const { introduce, agents, metrics, log } = await startedAgents(t, { limits });
      const told = async () => {
        const refused = await agents.source.refused?.();
        return refused?.kind === 'done' ? refused.value : [];
      };
      for (const _ of [1, 2]) await introduce(body);
      const [first, ...others] = await told();
      assert.deepEqual([first?.mac, first?.times, others], ['127.0.0.1', 2, []]);
      assert.match(first?.reason ?? '', why);
      assert.doesNotMatch(first?.reason ?? '', /\p{Cc}/u);
      assert.match(await metrics.expose(), /rackwright_agent_refusals_total\{reason="body"\} 2\n/);
      assert.equal(log.filter((line) => line.includes('a body was refused')).length, 1);
      await introduce(body, 'wrong-token');
      assert.match(await metrics.expose(), /reason="body"\} 2\n/, 'strangers are counted as such only');
      assert.equal((await introduce(inventoryOf(1))).status, 201);
      assert.deepEqual(await told(), []);
    });
  }

  test('a report that is too large is counted and told too, with the machine whose agent sent it', async (t) => {
    const started = await startedAgents(t, { limits });
    const { body } = await started.introduce(inventoryOf(1));
    const report = { status: 'FAILED', error: { message: 'x'.repeat(5000) } };
    const path = `/${String(body.id)}/command/c1`;
    const answer = await started.ask('PUT', path, { token: String(body.token), body: report });
    assert.equal(answer.status, 413);
    assert.ok(JSON.stringify(await started.agents.source.refused?.()).includes(`a report of ${String(body.id)}`));
    assert.match(await started.metrics.expose(), /rackwright_agent_refusals_total\{reason="body"\} 1\n/);
  });

  test('a body that is not JSON by its type is not read', async (t) => {
    const { url } = await startedAgents(t);
    const headers = { authorization: `Bearer ${bootToken}`, 'content-type': 'text/plain' };
    assert.equal(await sendRaw(`${url}/agents`, headers, 'hello'), 415);
  });
});

describe('floods', () => {
  test('from one address are refused with when to come again, and counted', async (t) => {
    const started = await startedAgents(t, { limits: { perPeer: { burst: 5, perSecond: 1 } } });
    const statuses = await Promise.all(many(20, async (index) => (await started.introduce(inventoryOf(index))).status));
    assert.deepEqual(statuses.filter((status) => status === 201).length, 5);
    assert.deepEqual(statuses.filter((status) => status === 429).length, 15);
    const refused = await started.introduce(inventoryOf(99));
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
    assert.match(await started.metrics.expose(), /rackwright_agent_refusals_total\{reason="rate"\} 16\n/);
    await started.clock.advance(1000);
    assert.equal((await started.introduce(inventoryOf(99))).status, 201);
  });

  test('with wrong tokens take nothing from those with the right one', async (t) => {
    const limits = { perPeer: { burst: 100, perSecond: 1 }, introductions: { burst: 3, perSecond: 1 } };
    const started = await startedAgents(t, { limits });
    for (const index of many(20, (each) => each)) {
      assert.equal((await started.introduce(inventoryOf(index), 'wrong-token')).status, 401);
    }
    const statuses = await Promise.all(many(5, async (index) => (await started.introduce(inventoryOf(index))).status));
    assert.deepEqual(statuses.sort(), [201, 201, 201, 429, 429]);
    const refused = await started.agents.source.refused?.();
    assert.match(JSON.stringify(refused), /introduce themselves faster than they are taken in/);
  });

  test('with tokens that were never given to the machine they name have nothing read', async (t) => {
    const started = await startedAgents(t);
    const { id, token } = (await started.introduce(inventoryOf(1))).body;
    const other = (await started.introduce(inventoryOf(2))).body;
    const { statements } = started.database.counts;
    const [secret = '', seal = ''] = String(token).split('.');
    const wrong = [
      '',
      'wrong-token',
      secret,
      `${secret}.${seal.slice(1)}A`,
      `${secret.startsWith('x') ? 'y' : 'x'}${secret.slice(1)}.${seal}`,
      other.token,
    ];
    for (const each of wrong) {
      for (const machine of [String(id), 'agent-of-nobody']) {
        const answer = await started.ask('GET', `/${machine}/command`, { token: String(each) });
        assert.equal(answer.status, 401);
      }
    }
    assert.equal(started.database.counts.statements, statements);
    const counted = new RegExp(`rackwright_agent_refusals_total\\{reason="agent-token"\\} ${wrong.length * 2}\n`);
    assert.match(await started.metrics.expose(), counted);
    assert.equal((await started.ask('GET', `/${String(id)}/command`, { token: String(token) })).status, 204);
  });

  test('of new machines push out those that came first, but none that a host has (security.md: attacker-on-provisioning-network)', async (t) => {
    const started = await startedAgents(t, { limits: { unclaimed: 5 } });
    const [first] = await Promise.all([started.introduce(inventoryOf(0))]);
    const id = String(first?.body.id);
    assert.equal((await started.agents.provisioners.of(hostOf(0, id)).importHost?.({ isRetry: false }))?.kind, 'done');
    for (const number of many(12, (index) => index + 1)) {
      await started.clock.advance(1);
      assert.equal((await started.introduce(inventoryOf(number))).status, 201);
    }
    const outcome = await started.agents.source.list();
    const macs = outcome.kind === 'done' ? outcome.value.map(({ bootMac }) => bootMac).sort() : [];
    assert.deepEqual(
      macs,
      [0, 8, 9, 10, 11, 12].map((number) => macOf(number, 0)),
    );
    assert.match(await started.metrics.expose(), /rackwright_agent_machines_crowded_out_total 7\n/);
    const rows = await started.database.read((tx) => tx.all('SELECT mac FROM agent_machine_macs'));
    assert.equal(rows.length, 12, 'their MACs are free');
  });

  test('of open questions keep one open for each machine', async (t) => {
    const started = await startedAgents(t);
    const { body } = await started.introduce(inventoryOf(1));
    const path = `/${String(body.id)}/command?wait=30`;
    const asked = many(10, () => started.ask('GET', path, { token: String(body.token) }));
    // Time does not go on here, so that nothing ends by itself: nine end because of the one that came last.
    let open = asked.length;
    const nine = Promise.withResolvers<void>();
    for (const each of asked) {
      void each.then(() => {
        open -= 1;
        if (open === 1) nine.resolve();
      });
    }
    await nine.promise;
    started.agents.close();
    assert.deepEqual(
      (await Promise.all(asked)).map(({ status }) => status),
      many(10, () => 204),
    );
  });
});

const records = fc.array(
  fc.record({
    macs: fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 }),
    serialNumber: fc.constantFrom('a', 'b', undefined),
    isClaimed: fc.boolean(),
    isDeployed: fc.boolean(),
    isHeard: fc.boolean(),
  }),
  { maxLength: 4 },
);

test('whoever introduces itself, a machine that a host has is given only to the same hardware or to its token (security.md: attacker-on-provisioning-network)', () => {
  const mac = (port: number): string => macOf(1, port);
  fc.assert(
    fc.property(
      records,
      fc.nat(3),
      fc.boolean(),
      fc.uniqueArray(fc.nat(5), { minLength: 1 }),
      (all, at, isProven, ports) => {
        const known = all.map(
          (each, index): MachineRecord => ({
            ...{ id: `m${index}`, macs: each.macs.map(mac), bootMac: mac(each.macs[0] ?? 0), introducedAtMs: 1 },
            ...{ serialNumber: each.serialNumber, use: each.isDeployed ? 'deployed' : 'unused' },
            ...(each.isClaimed ? { host: { namespace: 'n', name: `h${index}` } } : {}),
          }),
        );
        const macs = ports.map(mac);
        const overlapping = known.filter((machine) => machine.macs.some((each) => macs.includes(each)));
        const proven = isProven ? overlapping[at]?.id : undefined;
        const heard = new Set(known.filter((_, index) => all[index]?.isHeard).map(({ id }) => id));
        const introduction = { macs, bootMac: macs[0] ?? '', details: { hardware: {}, serialNumber: 'a' } };
        const verdict = judgeIntroduction(introduction, overlapping, { proven, isHeard: ({ id }) => heard.has(id) });
        const isAlike = ({ macs: others, bootMac }: MachineRecord): boolean =>
          macs.includes(bootMac) || others.includes(introduction.bootMac);
        const claimed = overlapping.filter(({ host }) => host !== undefined);
        const touched =
          verdict.kind === 'refused'
            ? []
            : [...verdict.forget, ...(verdict.kind === 'again' ? [verdict.machine.id] : [])];
        for (const machine of claimed) {
          if (machine.use === 'deployed') assert.ok(!touched.includes(machine.id), 'not even with its token');
          if (machine.id === proven) continue;
          const isSame =
            machine.serialNumber === 'a' &&
            machine.macs.length === macs.length &&
            macs.every((each) => machine.macs.includes(each));
          const mayReturn = isSame && machine.use === 'unused' && !heard.has(machine.id);
          assert.ok(
            !touched.includes(machine.id) || (verdict.kind === 'again' && verdict.machine === machine && mayReturn),
          );
        }
        if (proven !== undefined && claimed.some((machine) => machine.id !== proven && isAlike(machine))) {
          assert.equal(verdict.kind, 'refused');
        }
      },
    ),
  );
});
