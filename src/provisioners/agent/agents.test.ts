import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openSqliteDatabase } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import type { Outcome } from '../provisioner.ts';
import { bootTokensIn } from './index.ts';
import { bootToken, hostOf, inventoryOf, macOf, type StartedAgents, startedAgents } from './testing/started-agents.ts';

function worth<T>(outcome: Outcome<T>): T {
  assert.equal(outcome.kind, 'done', JSON.stringify(outcome));
  return outcome.kind === 'done' ? outcome.value : assert.fail();
}

async function introduced(started: StartedAgents, number: number, more: object = {}) {
  const { status, body } = await started.introduce({ ...inventoryOf(number), ...more });
  assert.ok(status === 200 || status === 201, JSON.stringify(body));
  return { status, id: String(body.id), token: String(body.token) };
}

const claim = async ({ agents }: StartedAgents, number: number, id: string) => {
  const outcome = await agents.provisioners.of(hostOf(number, id)).importHost?.({ isRetry: false });
  assert.deepEqual(outcome, { kind: 'done', value: { id } });
};

const list = async ({ agents }: StartedAgents) => worth(await agents.source.list());

async function counted({ metrics }: StartedAgents, line: string): Promise<number> {
  const found = (await metrics.expose()).split('\n').find((each) => each.startsWith(`${line} `));
  return Number(found?.split(' ')[1] ?? 0);
}

describe('a machine that introduces itself', () => {
  test('is known, with all that it told', async (t) => {
    const started = await startedAgents(t);
    const { status, id } = await introduced(started, 1);
    assert.equal(status, 201);
    const macs = [macOf(1, 0), macOf(1, 1)];
    const sinceMs = started.clock.now();
    assert.deepEqual(await list(started), [{ id, bootMac: macs[0], macs, isAutoDiscovered: true, sinceMs }]);
    const details = worth(await started.agents.source.read(id));
    assert.deepEqual([details?.hostname, details?.ip, details?.serialNumber], ['machine-1', '192.0.2.7', 'S1']);
    assert.equal(details?.hardware.ramMebibytes, 131_072);
    assert.deepEqual(
      details?.hardware.nics?.map(({ pxe }) => pxe),
      [true, false],
    );
    assert.deepEqual(await started.agents.source.read('agent-none'), { kind: 'done', value: undefined });
  });

  test('tells the port of its switch by LLDP', async (t) => {
    const started = await startedAgents(t);
    const lldp = [
      [1, '040a0b0c0d0e0f'],
      [2, `05${Buffer.from('eth7').toString('hex')}`],
      [5, Buffer.from('leaf1').toString('hex')],
    ];
    const interfaces = [{ name: 'eno1', mac_address: macOf(2, 0).toUpperCase(), lldp }];
    const { body } = await started.introduce(inventoryOf(2, { interfaces }));
    const details = worth(await started.agents.source.read(String(body.id)));
    assert.deepEqual(details?.hardware.nics?.[0]?.lldp, {
      switchID: '0a:0b:0c:0d:0e:0f',
      portID: 'eth7',
      switchSystemName: 'leaf1',
    });
    assert.equal((await list(started))[0]?.bootMac, macOf(2, 0));
  });

  test('is the same after a restart, and its last token is good for nothing then', async (t) => {
    const started = await startedAgents(t);
    const first = await introduced(started, 1);
    const again = await introduced(started, 1);
    assert.deepEqual([again.status, again.id], [200, first.id]);
    assert.equal((await list(started)).length, 1);
    assert.equal((await started.ask('GET', `/${first.id}/command`, { token: first.token })).status, 401);
    assert.equal((await started.ask('GET', `/${first.id}/command`, { token: again.token })).status, 204);
  });

  test('is another one when other hardware has its MAC, nobody has it, and it was silent', async (t) => {
    const started = await startedAgents(t, { times: { silenceMs: 60_000 } });
    const first = await introduced(started, 1);
    await started.clock.advance(60_000);
    const other = await introduced(started, 1, {
      inventory: { ...inventoryOf(1).inventory, system_vendor: { serial_number: 'another' } },
    });
    assert.notEqual(other.id, first.id);
    assert.deepEqual(
      (await list(started)).map(({ id }) => id),
      [other.id],
    );
  });

  test('is known after the endpoint was started again (security.md: agent-token-digests)', async (t) => {
    const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
    t.after(() => database.close());
    const { id, token } = await introduced(await startedAgents(t, { database }), 1);
    const later = await startedAgents(t, { database });
    assert.deepEqual(
      (await list(later)).map((each) => each.id),
      [id],
    );
    assert.equal((await later.ask('GET', `/${id}/command`, { token })).status, 204);
    const rows = await database.read((tx) => tx.all('SELECT * FROM agent_machines'));
    assert.ok(!JSON.stringify(rows).includes(token), 'tokens are kept as digests only');
  });
});

describe('tokens', () => {
  test('of the boot configuration are asked for before anything is read (security.md: agent-tokens)', async (t) => {
    const started = await startedAgents(t);
    for (const token of ['', 'wrong', `${bootToken}x`, bootToken.slice(1)]) {
      const { status, headers } = await started.introduce('{', token);
      assert.equal(status, 401, token);
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    }
    assert.equal((await started.ask('POST', '', { body: inventoryOf(1) })).status, 401);
    assert.equal((await list(started)).length, 0);
    assert.equal(await counted(started, 'rackwright_agent_refusals_total{reason="boot-token"}'), 5);
  });

  test('of one machine open nothing of another (security.md: agent-tokens)', async (t) => {
    const started = await startedAgents(t);
    const one = await introduced(started, 1);
    const two = await introduced(started, 2);
    for (const [path, token] of [
      [one.id, two.token],
      [one.id, bootToken],
      [one.id, undefined],
      ['agent-none', one.token],
    ] as const) {
      assert.equal((await started.ask('GET', `/${path}/command`, { token })).status, 401);
      assert.equal((await started.ask('POST', `/${path}/token`, { token })).status, 401);
      const report = { token, body: { status: 'SUCCEEDED' } };
      assert.equal((await started.ask('PUT', `/${path}/command/c1`, report)).status, 401);
    }
  });

  test('can be renewed, and the one before is good until the new one was used', async (t) => {
    const started = await startedAgents(t);
    const { id, token } = await introduced(started, 1);
    const path = `/${id}/command`;
    await started.ask('POST', `/${id}/token`, { token });
    const renewed = String((await started.ask('POST', `/${id}/token`, { token })).body.token);
    assert.equal((await started.ask('GET', path, { token })).status, 204, 'an answer may be lost');
    assert.equal((await started.ask('GET', path, { token: renewed })).status, 204);
    assert.equal((await started.ask('GET', path, { token })).status, 401);
  });

  test('expire unless they are renewed', async (t) => {
    const started = await startedAgents(t, { times: { tokenMs: 1000 } });
    const { id, token } = await introduced(started, 1);
    await started.clock.advance(1000);
    assert.equal((await started.ask('GET', `/${id}/command`, { token })).status, 401);
    const again = await introduced(started, 1, { earlier: { id, token } });
    assert.equal(again.id, id);
  });

  test('of the boot configuration are read again when their file changes, old and new beside each other (security.md: agent-tokens)', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'boot-tokens-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'tokens');
    const [old, young] = ['old-token-of-20-letters', 'new-token-of-20-letters'];
    let seconds = 1;
    const write = (text: string): void => {
      writeFileSync(file, text);
      utimesSync(file, seconds, seconds);
      seconds += 1;
    };
    write(`${old}\n`);
    const problems: string[] = [];
    const tokens = bootTokensIn(file, ({ message }) => void problems.push(message));
    const seen = () => [tokens.has(old), tokens.has(young)];
    assert.deepEqual(seen(), [true, false]);
    write(`# both\n${young}\n${old}\n`);
    assert.deepEqual(seen(), [true, true]);
    write('short\n');
    assert.deepEqual(seen(), [true, true], 'a mistake locks nobody out');
    assert.match(problems.join(), /at least 20 characters/);
    assert.doesNotMatch(problems.join(), /short/);
    write(`${young}\n`);
    assert.deepEqual(seen(), [false, true]);
    assert.throws(() => bootTokensIn(join(folder, 'none')), /cannot be read/);
  });

  test('are in no log (security.md: agent-token-digests)', async (t) => {
    const started = await startedAgents(t);
    const { id, token } = await introduced(started, 1);
    await claim(started, 1, id);
    await started.introduce(inventoryOf(1, { system_vendor: { serial_number: 'other' } }));
    await started.ask('GET', `/${id}/command`, { token: 'guessed-token-that-is-wrong' });
    const log = started.log.join('\n');
    assert.match(log, /introduc/);
    for (const secret of [bootToken, token, 'guessed-token-that-is-wrong']) assert.ok(!log.includes(secret));
  });
});

describe('a MAC of a machine that a host has', () => {
  const stranger = { inventory: { ...inventoryOf(1).inventory, system_vendor: { serial_number: 'stranger' } } };

  test('is refused to a second machine, which is shown with the reason, and nothing changes', async (t) => {
    const started = await startedAgents(t);
    const { id, token } = await introduced(started, 1);
    await claim(started, 1, id);
    const before = [await list(started), worth(await started.agents.source.read(id))];
    for (const hours of [0, 1, 24 * 365]) {
      await started.clock.advance(hours * 3600_000);
      const { status, body, headers } = await started.introduce(stranger);
      assert.equal(status, 409);
      assert.ok(headers.get('retry-after'));
      assert.doesNotMatch(JSON.stringify(body), /fleet|host-1|agent-/, 'whose it is is nobody’s business');
    }
    assert.deepEqual([await list(started), worth(await started.agents.source.read(id))], before);
    const [refused, ...others] = worth((await started.agents.source.refused?.()) ?? assert.fail());
    assert.deepEqual([refused?.mac, refused?.times, others.length], [macOf(1, 0), 3, 0]);
    assert.match(refused?.reason ?? '', /fleet\/host-1/);
    assert.equal(await counted(started, 'rackwright_agent_refusals_total{reason="mac-in-use"}'), 3);
    assert.equal(started.log.filter((line) => line.includes('an introduction was refused')).length, 1);
    assert.equal((await started.ask('GET', `/${id}/command`, { token })).status, 401, 'a year later it expired');
    const again = await introduced(started, 1, { earlier: { id, token } });
    assert.equal(again.id, id);
    assert.deepEqual(worth((await started.agents.source.refused?.()) ?? assert.fail()), []);
  });

  test('is enough for the same hardware only once its agent is silent, and never while it runs an image', async (t) => {
    const started = await startedAgents(t, { times: { silenceMs: 60_000 } });
    const { id } = await introduced(started, 1);
    await claim(started, 1, id);
    assert.equal((await started.introduce(inventoryOf(1))).status, 409, 'its agent was just heard of');
    await started.clock.advance(60_000);
    assert.equal((await introduced(started, 1)).id, id);
    const provisioner = started.agents.provisioners.of(hostOf(1, id));
    const deployment = { image: { url: 'http://files/image' }, bootMode: 'UEFI' as const };
    assert.equal((await provisioner.adopt({ isRetry: false, deployment })).kind, 'done');
    await started.clock.advance(3600_000);
    assert.equal((await started.introduce(inventoryOf(1))).status, 409);
  });

  test('goes with its last token, also when the answer with a newer one was lost', async (t) => {
    const started = await startedAgents(t);
    const { id, token } = await introduced(started, 1);
    await claim(started, 1, id);
    const lost = await introduced(started, 1, { earlier: { id, token } });
    const heard = await introduced(started, 1, { earlier: { id, token } });
    assert.deepEqual([lost.id, heard.id], [id, id]);
    assert.equal((await started.introduce({ ...stranger, earlier: { id, token: 'made-up' } })).status, 409);
  });

  test('is not to be had by telling several MACs at once', async (t) => {
    const started = await startedAgents(t);
    const one = await introduced(started, 1);
    const two = await introduced(started, 2);
    await claim(started, 1, one.id);
    await claim(started, 2, two.id);
    const interfaces = [1, 2].map((number) => ({ name: `e${number}`, mac_address: macOf(number, 0) }));
    const both = inventoryOf(1, { interfaces });
    for (const earlier of [undefined, { id: one.id, token: one.token }]) {
      assert.equal((await started.introduce({ ...both, earlier: earlier ?? null })).status, 409);
    }
    assert.equal((await list(started)).length, 2);
  });

  test('is free again when its host is gone, and its agent is told to be quiet', async (t) => {
    const started = await startedAgents(t);
    const { id, token } = await introduced(started, 1);
    await claim(started, 1, id);
    assert.equal((await started.agents.provisioners.of(hostOf(1, id)).remove()).kind, 'done');
    assert.deepEqual(await list(started), []);
    assert.equal((await started.ask('GET', `/${id}/command`, { token })).status, 410);
    const again = await introduced(started, 1, { earlier: { id, token } });
    assert.equal(again.status, 201);
    assert.notEqual(again.id, id);
    assert.equal((await list(started)).length, 1);
  });
});
