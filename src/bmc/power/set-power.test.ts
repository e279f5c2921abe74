import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc, type ScriptedBmc } from '../testing/scripted-bmc.ts';
import { readPower } from './power-state.ts';
import { setPower } from './set-power.ts';

const system = '/redfish/v1/Systems/1';
const reset = `POST ${system}/Actions/ComputerSystem.Reset`;

function actions(types: readonly string[] | undefined): JsonObject {
  const values = types === undefined ? {} : { 'ResetType@Redfish.AllowableValues': [...types] };
  return { '#ComputerSystem.Reset': { target: `${system}/Actions/ComputerSystem.Reset`, ...values } };
}

/** A host that does as it is told after some seconds, but for what it is deaf to. */
function host(
  options: { power?: string; types?: readonly string[]; deafTo?: readonly string[]; takesMs?: number } = {},
): ScriptedBmc {
  const { power = 'On', deafTo = [], takesMs = 3000 } = options;
  const more = options.types === undefined ? {} : { Actions: actions(options.types) };
  const scripted = createScriptedBmc({ tree: sampleTree({ system: { PowerState: power, ...more } }) });
  const { gate, clock } = scripted;
  gate.on(reset, (request) => {
    const type = String((request.body as JsonObject).ResetType);
    const next = /Off|Shutdown/.test(type) ? 'Off' : 'On';
    if (!deafTo.includes(type)) {
      clock.after(takesMs, () =>
        gate.change(system, { PowerState: next, LastResetTime: `2025-01-01T00:00:${gate.sent.length % 60}Z` }),
      );
    }
    return { status: 204 };
  });
  return scripted;
}

test('power is read in four words', async () => {
  for (const [said, state] of [
    ['On', 'on'],
    ['Off', 'off'],
    ['PoweringOn', 'changing'],
    ['Paused', 'on'],
    ['Odd', 'unknown'],
    [null, 'unknown'],
  ] as const) {
    const { bmc } = createScriptedBmc({ tree: sampleTree({ system: { PowerState: said } }) });
    assert.equal((await readPower(bmc)).state, state);
  }
});

test('a host that is there already is left alone', async () => {
  for (const [power, target] of [
    ['On', 'on'],
    ['Off', 'off'],
  ] as const) {
    const { bmc, gate } = host({ power });
    const change = await setPower(bmc, { target });
    assert.deepEqual([change.sent, change.isConfirmed], [[], true]);
    assert.equal(
      gate.sent.some(({ method }) => method === 'POST'),
      false,
    );
  }
});

test('on and off: the request is disruptive, and its effect is waited for', async () => {
  const { bmc, gate } = host({ power: 'Off' });
  assert.deepEqual(await setPower(bmc, { target: 'on' }), {
    before: 'off',
    after: 'on',
    sent: ['On'],
    wasForced: false,
    isConfirmed: true,
  });
  assert.deepEqual((await setPower(bmc, { target: 'off' })).sent, ['ForceOff']);
  assert.equal(
    gate.sent.filter(({ method }) => method === 'POST').every(({ isDisruptive }) => isDisruptive === true),
    true,
  );
  assert.equal(
    gate.sent.some(({ headers }) => headers !== undefined),
    false,
    'no If-Match on an action',
  );
});

test('graceful off is enough where the system obeys', async () => {
  const { bmc } = host();
  const change = await setPower(bmc, { target: 'off', isGraceful: true });
  assert.deepEqual([change.sent, change.wasForced], [['GracefulShutdown'], false]);
});

test('graceful off is forced after the grace period', async () => {
  const { bmc, clock } = host({ deafTo: ['GracefulShutdown'] });
  const started = clock.monotonic();
  const change = await setPower(bmc, { target: 'off', isGraceful: true, gracePeriodMs: 120_000 });
  assert.deepEqual([change.sent, change.wasForced, change.after], [['GracefulShutdown', 'ForceOff'], true, 'off']);
  const tookMs = clock.monotonic() - started;
  assert.ok(tookMs >= 120_000 && tookMs < 150_000, `${tookMs}`);
});

test('a host that was in its self-test and is restarted is not waited for until that is over', async () => {
  const { gate, bmc, clock } = createScriptedBmc({
    tree: sampleTree({ system: { PowerState: 'On', Oem: { Hpe: { PostState: 'InPost' } } } }),
  });
  gate.on(reset, () => ({ status: 204 }));
  const started = clock.monotonic();
  const { sent, isConfirmed } = await setPower(bmc, { target: 'reset' });
  assert.deepEqual([sent, isConfirmed], [['ForceRestart'], false]);
  assert.ok(clock.monotonic() - started < 20_000, `${clock.monotonic() - started}`);
});

test('a graceful shutdown that is refused is forced at once', async () => {
  const { bmc, gate } = host();
  gate.once(reset, () => ({ status: 400 }));
  const change = await setPower(bmc, { target: 'off', isGraceful: true });
  assert.deepEqual([change.sent, change.wasForced], [['ForceOff'], true]);
});

test('reset types come from the allowable values, or from an ActionInfo, or are tried', async () => {
  const info = `${system}/ResetActionInfo`;
  const withInfo = {
    '#ComputerSystem.Reset': { target: `${system}/Actions/ComputerSystem.Reset`, '@Redfish.ActionInfo': info },
  };
  const tree = sampleTree({
    system: { PowerState: 'Off', Actions: withInfo },
    more: { [info]: { Parameters: [{ Name: 'ResetType', AllowableValues: ['ForceOn'] }] } },
  });
  const scripted = createScriptedBmc({ tree });
  scripted.gate.on(reset, () => {
    scripted.gate.change(system, { PowerState: 'On' });
    return {};
  });
  assert.deepEqual((await setPower(scripted.bmc, { target: 'on' })).sent, ['ForceOn']);

  const unsaid = createScriptedBmc({
    tree: sampleTree({ system: { PowerState: 'Off', Actions: actions(undefined) } }),
  });
  unsaid.gate.once(reset, () => ({ status: 400 }));
  unsaid.gate.on(reset, () => {
    unsaid.gate.change(system, { PowerState: 'On' });
    return {};
  });
  assert.deepEqual((await setPower(unsaid.bmc, { target: 'on' })).sent, ['ForceOn']);
});

test('a reset of a host that is off turns it on', async () => {
  for (const target of ['reset', 'cycle'] as const) {
    const { bmc } = host({ power: 'Off' });
    assert.deepEqual((await setPower(bmc, { target })).sent, ['On']);
  }
});

test('reset and cycle, and what stands in for what is not offered', async () => {
  const sentBy = async (target: 'reset' | 'cycle', types: readonly string[]) =>
    (await setPower(host({ types }).bmc, { target })).sent;
  assert.deepEqual(await sentBy('reset', ['On', 'ForceOff', 'ForceRestart', 'PowerCycle']), ['ForceRestart']);
  assert.deepEqual(await sentBy('reset', ['On', 'ForceOff', 'PowerCycle']), ['PowerCycle']);
  assert.deepEqual(await sentBy('cycle', ['On', 'ForceOff', 'ForceRestart', 'PowerCycle']), ['PowerCycle']);
  assert.deepEqual(await sentBy('cycle', ['On', 'ForceOff', 'ForceRestart']), ['ForceOff', 'On']);
  assert.deepEqual(await sentBy('reset', ['On', 'ForceOff']), ['ForceOff', 'On']);
});

test('a graceful reset goes off and on, which is seen, and is forced when the system does not obey', async () => {
  assert.deepEqual((await setPower(host().bmc, { target: 'reset', isGraceful: true })).sent, [
    'GracefulShutdown',
    'On',
  ]);
  const deaf = await setPower(host({ deafTo: ['GracefulShutdown'] }).bmc, { target: 'reset', isGraceful: true });
  assert.deepEqual([deaf.sent, deaf.wasForced], [['GracefulShutdown', 'ForceOff', 'On'], true]);
  const types = ['On', 'ForceOff', 'GracefulRestart', 'ForceRestart'];
  assert.deepEqual((await setPower(host({ types }).bmc, { target: 'reset', isGraceful: true })).sent, [
    'GracefulRestart',
  ]);
});

test('a graceful restart without a sign of it is forced only where a sign could be seen', async () => {
  const types = ['On', 'GracefulRestart', 'ForceRestart'];
  const shy = await setPower(host({ types, deafTo: types }).bmc, {
    target: 'reset',
    isGraceful: true,
    gracePeriodMs: 60_000,
  });
  assert.deepEqual([shy.sent, shy.isConfirmed], [['GracefulRestart'], false]);
  const shown = host({ types, deafTo: ['GracefulRestart'] });
  shown.gate.change(system, { LastResetTime: '2024-01-01T00:00:00Z' });
  const forced = await setPower(shown.bmc, { target: 'reset', isGraceful: true, gracePeriodMs: 60_000 });
  assert.deepEqual(
    [forced.sent, forced.wasForced, forced.isConfirmed],
    [['GracefulRestart', 'ForceRestart'], true, true],
  );
});

test('a reset whose answer was lost is looked for, not sent again', async () => {
  const seen = host();
  seen.gate.on(reset, () => {
    seen.clock.after(5000, () => seen.gate.change(system, { LastResetTime: '2025-01-01T01:00:00Z' }));
    return 'ambiguous';
  });
  assert.deepEqual((await setPower(seen.bmc, { target: 'reset' })).sent, ['ForceRestart']);
  const unseen = host();
  unseen.gate.on(reset, () => 'ambiguous');
  await assert.rejects(setPower(unseen.bmc, { target: 'reset' }), (error) => isBmcError(error, 'ambiguous'));
  assert.equal(unseen.gate.sent.filter(({ method }) => method === 'POST').length, 1);
});

test('a host that is on its way is waited for', async () => {
  const { bmc, gate, clock } = host({ power: 'PoweringOff' });
  clock.after(10_000, () => gate.change(system, { PowerState: 'Off' }));
  assert.deepEqual(await setPower(bmc, { target: 'off' }), {
    before: 'off',
    after: 'off',
    sent: [],
    wasForced: false,
    isConfirmed: true,
  });
});

test('a host that got there by itself is fine though the request is refused', async () => {
  const { bmc, gate } = host();
  gate.on(reset, () => {
    gate.change(system, { PowerState: 'Off' });
    return { status: 409 };
  });
  assert.equal((await setPower(bmc, { target: 'off' })).after, 'off');
});

test('a host that does not obey at all ends with a deadline that says what was seen', async () => {
  const { bmc, clock } = host({ power: 'Off', deafTo: ['On'] });
  await assert.rejects(
    setPower(bmc, { target: 'on', deadlineMs: 60_000 }),
    (error) => isBmcError(error, 'deadline') && /power state is Off/.test(error.message),
  );
  assert.ok(clock.monotonic() < 90_000);
});

test('a BMC that is away for a while is waited for, one that refuses us is not', async () => {
  const { bmc, gate } = host({ power: 'Off' });
  const away = ['unreachable', 'timeout', 'busy'] as const;
  gate.once(`GET ${system}`, () => ({ body: { PowerState: 'Off', Actions: actions(['On']) } }));
  for (const code of away) gate.once(`GET ${system}`, () => code);
  assert.equal((await setPower(bmc, { target: 'on' })).after, 'on');
  const refused = host({ power: 'Off' });
  refused.gate.on(reset, () => {
    refused.gate.on(`GET ${system}`, () => 'credentials');
    return {};
  });
  await assert.rejects(setPower(refused.bmc, { target: 'on' }), (error) => isBmcError(error, 'credentials'));
});

test('without a lease nothing is sent', async () => {
  const tree = sampleTree({ system: { PowerState: 'Off' } });
  const checkLease = async () => {
    throw new BmcError('leaseLost', { origin: 'https://bmc.test', detail: 'taken over' });
  };
  const { bmc, gate } = createScriptedBmc({ tree, checkLease });
  await assert.rejects(setPower(bmc, { target: 'on' }), (error) => isBmcError(error, 'leaseLost'));
  assert.equal(
    gate.sent.some(({ method }) => method === 'POST'),
    false,
  );
});

test('a system without a reset action, or without a fitting type, says so', async () => {
  const none = createScriptedBmc({ tree: sampleTree({ system: { PowerState: 'Off', Actions: {} } }) });
  await assert.rejects(setPower(none.bmc, { target: 'on' }), /no action ComputerSystem\.Reset/);
  await assert.rejects(setPower(host({ power: 'Off', types: ['Nmi'] }).bmc, { target: 'on' }), /offers only Nmi/);
});

test('a host in its self-test is spared where that is asked for, and only there', async () => {
  for (const [state, isSelfTestSpared, sent] of [
    ['MemoryInitializationStarted', true, []],
    ['MemoryInitializationStarted', false, ['ForceRestart']],
    ['OSRunning', true, ['ForceRestart']],
  ] as const) {
    const { bmc, gate } = host({ types: ['ForceRestart'] });
    gate.change(system, { BootProgress: { LastState: state } });
    const change = await setPower(bmc, { target: 'reset', isSelfTestSpared });
    assert.deepEqual([change.sent, change.wasSpared === true], [sent, sent.length === 0]);
  }
});
