import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import type { ScriptedAnswer } from '../testing/scripted-gate.ts';
import { setPower } from './set-power.ts';

const system = '/redfish/v1/Systems/1';
const target = `${system}/Actions/ComputerSystem.Reset`;

/** A host whose BMC answers resets as the test says; its power is what the answer made of it. */
function host(
  power: string,
  types: readonly string[] | undefined,
  answer: (type: string, change: (power: string) => void) => ScriptedAnswer | 'ambiguous',
) {
  const values = types === undefined ? {} : { 'ResetType@Redfish.AllowableValues': [...types] };
  const action = { '#ComputerSystem.Reset': { target, ...values } };
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree({ system: { PowerState: power, Actions: action } }) });
  const sent: string[] = [];
  gate.on(`POST ${target}`, ({ body }) => {
    const type = String((body as JsonObject).ResetType);
    sent.push(type);
    return answer(type, (now) => gate.change(system, { PowerState: now }));
  });
  return { bmc, gate, sent };
}

const refused = { status: 400 };

test('a host that somebody else switched on meanwhile is not switched off by a button', async () => {
  for (const types of [['On', 'ForceOff', 'PushPowerButton'], ['On', 'ForceOn', 'PushPowerButton'], undefined]) {
    const { bmc, sent } = host('Off', types, (_, change) => {
      change('On');
      return refused;
    });
    const change = await setPower(bmc, { target: 'on' });
    assert.deepEqual([change.after, change.sent, sent], ['on', [], ['On']]);
  }
});

test('the button is pressed only where nothing else is offered, right after the host was seen in the other state', async () => {
  const offered = host('Off', ['On', 'PushPowerButton'], () => refused);
  await assert.rejects(setPower(offered.bmc, { target: 'on' }), (error) => isBmcError(error, 'refused'));
  assert.deepEqual(offered.sent, ['On']);
  const alone = host('Off', ['PushPowerButton'], (_, change) => {
    change('On');
    return {};
  });
  assert.deepEqual((await setPower(alone.bmc, { target: 'on' })).sent, ['PushPowerButton']);
  const raced = host('Off', ['PushPowerButton'], () => ({}));
  raced.gate.once(`GET ${system}`, () => {
    const body = raced.gate.tree.get(system) ?? {};
    raced.gate.change(system, { PowerState: 'On' });
    return { body };
  });
  assert.deepEqual((await setPower(raced.bmc, { target: 'on' })).sent, []);
  assert.deepEqual(raced.sent, []);
});

test('after an answer that was lost nothing else is sent before the host was looked at', async () => {
  const off = host('On', ['On', 'ForceOff', 'GracefulShutdown'], (_, change) => {
    change('Off');
    return 'ambiguous';
  });
  const graceful = await setPower(off.bmc, { target: 'off', isGraceful: true });
  assert.deepEqual([off.sent, graceful.wasForced], [['GracefulShutdown'], false]);
  const on = host('Off', ['On', 'ForceOn'], () => 'ambiguous');
  await assert.rejects(setPower(on.bmc, { target: 'on', deadlineMs: 60_000 }), (error) =>
    isBmcError(error, 'deadline'),
  );
  assert.deepEqual(on.sent, ['On']);
});

test('on and off are asked for again where the answer was lost and the host is seen to stay as it was', async () => {
  for (const { from, target, type } of [
    { from: 'On', target: 'off', type: 'ForceOff' },
    { from: 'Off', target: 'on', type: 'On' },
  ] as const) {
    const heardAt = 3;
    const { bmc, sent } = host(from, ['On', 'ForceOff'], (_, change) => {
      if (sent.length < heardAt) return 'ambiguous';
      change(target === 'on' ? 'On' : 'Off');
      return {};
    });
    const change = await setPower(bmc, { target });
    assert.deepEqual([change.after, sent], [target, [type, type, type]]);
  }
});

test('a host that cannot be seen, or whose button was pressed, is not asked again', async () => {
  const unseen = host('On', ['On', 'ForceOff'], () => {
    unseen.gate.on(`GET ${system}`, () => ({ status: 503 }));
    return 'ambiguous';
  });
  const button = host('Off', ['PushPowerButton'], () => 'ambiguous');
  for (const { it, target } of [
    { it: unseen, target: 'off' },
    { it: button, target: 'on' },
  ] as const) {
    await assert.rejects(setPower(it.bmc, { target }), (error) => isBmcError(error, 'deadline'));
    assert.equal(it.sent.length, 1);
  }
});

test('a restart whose answer was lost and that nothing shows is told as such and not repeated', async () => {
  for (const wish of [
    { types: ['ForceRestart', 'PowerCycle'], isGraceful: false, sends: ['ForceRestart'] },
    { types: ['GracefulRestart', 'ForceRestart'], isGraceful: true, sends: ['GracefulRestart'] },
  ]) {
    const { bmc, sent } = host('On', wish.types, () => 'ambiguous');
    const asked = setPower(bmc, { target: 'reset', isGraceful: wish.isGraceful });
    await assert.rejects(asked, (error) => isBmcError(error, 'ambiguous'));
    assert.deepEqual(sent, wish.sends);
  }
});

test('a restart that is refused because the host went off meanwhile turns it on', async () => {
  const { bmc, sent } = host('On', ['On', 'ForceRestart', 'PowerCycle'], (type, change) => {
    change(type === 'On' ? 'On' : 'Off');
    return type === 'On' ? {} : refused;
  });
  assert.equal((await setPower(bmc, { target: 'reset' })).after, 'on');
  assert.deepEqual(sent, ['ForceRestart', 'On']);
});
