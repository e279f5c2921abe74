import assert from 'node:assert/strict';
import { until } from '../../real/ironic/until.ts';
import { wrongPassword } from './host-bench.ts';
import { patienceMs, stateOf } from './host-diary.ts';
import type { HostStage } from './host-stage.ts';

/** What people understand of a refused log-in, whatever words the BMC and Ironic have for it. */
export const refusedLogin = /401|unauthori[sz]ed|credential|authenticat/i;

/** Creates hosts whose Secret has another password than their BMC. */
export function beginWithWrongPassword(stage: HostStage): Promise<void> {
  const { diary } = stage.parts;
  return stage.onEach(async (machine) => {
    const { username } = machine.login();
    await stage.apply(stage.secretOf(machine, { username, password: wrongPassword }), stage.hostOf(machine));
    const failed = await stage.untilSo(
      machine,
      'a registration error',
      ({ status }) => status?.errorType === 'registration error',
    );
    assert.equal(stateOf(failed), 'registering');
    assert.match(failed.status?.errorMessage ?? '', refusedLogin);
    assert.equal(stage.condition(machine, 'Manageable'), 'False RegistrationFailed');
    assert.equal((await stage.nodeOf(machine))?.provision_state, 'enroll');
    const messages = await until({
      what: 'the event RegistrationError',
      timeoutMs: patienceMs,
      look: async () => {
        const told = await diary.messages(machine.name, 'RegistrationError');
        return told.length > 0 ? told : undefined;
      },
    });
    assert.match(messages[0] ?? '', refusedLogin);
    assert.match(await stage.cli(['get', 'bmh', machine.name]), /registering .*registration error/);
  });
}

/** Mends the Secret. */
export function register(stage: HostStage): Promise<void> {
  return stage.onEach(async (machine) => {
    const { name } = machine;
    const mark = stage.mark(machine);
    await stage.apply(stage.secretOf(machine));
    const host = await stage.untilMoved(machine, mark, 'available');
    assert.deepEqual(stage.states(machine, 0), ['none', 'registering', 'inspecting', 'preparing', 'available']);
    assert.equal(host.status?.operationalStatus, 'OK');
    assert.equal(host.status?.hardware?.ramMebibytes, machine.expectedRamMebibytes);
    await stage.checkNode(machine, 'available');
    assert.equal(stage.condition(machine, 'Manageable'), 'True Manageable');
    assert.equal(stage.condition(machine, 'AvailableForProvisioning'), 'True Available');
    for (const reason of ['Registered', 'BMCAccessValidated', 'InspectionStarted', 'InspectionComplete']) {
      await stage.untilTold(machine, reason, 1);
    }
    for (const kind of ['hardwaredata', 'hostfirmwaresettings', 'hostfirmwarecomponents']) {
      assert.match(await stage.cli(['get', kind, name]), new RegExp(name));
    }
    assert.match(await stage.cli(['get', 'bmh', name]), new RegExp(`${name}\\s+available\\s+true`));
    await stage.untilPowered(machine, true);
  });
}

/** Tries to create hosts for machines that others have. */
export function refuseTwin(stage: HostStage): Promise<void> {
  return stage.onEach(async (machine) => {
    const metadata = { name: `${machine.name}-twin`, namespace: stage.parts.namespace };
    const { code, err } = await stage.run(['apply', '-f', '-'], JSON.stringify({ ...stage.hostOf(machine), metadata }));
    assert.notEqual(code, 0);
    assert.match(err, new RegExp(machine.name));
    assert.equal((await stage.nodes()).length, stage.parts.machines.length);
  });
}
