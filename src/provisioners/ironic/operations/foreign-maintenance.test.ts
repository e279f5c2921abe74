import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment, Outcome, Provisioner } from '../../provisioner.ts';
import { createTestBench, type FakeNode, targetsOf } from '../testing/index.ts';

const settings = { ProcTurboMode: 'Disabled' };
const deployment: Deployment = { image: { url: 'http://files/image', checksum: 'x' }, bootMode: 'UEFI' };
const isRetry = true;

const calls: Readonly<Record<string, (at: Provisioner) => Promise<Outcome<unknown>>>> = {
  prepare: (at) => at.prepare({ isRetry, isWanted: true, settings }),
  'prepare without work': (at) => at.prepare({ isRetry, isWanted: false }),
  provision: (at) => at.provision({ isRetry, isForced: false, deployment, config: {} }),
  deprovision: (at) => at.deprovision({ isRetry, cleaningMode: 'metadata' }),
  inspect: (at) => at.inspect({ isRetry, isRefresh: false, isForced: false, bootMode: 'UEFI' }),
  service: (at) => at.service({ ticket: 'two', isSpecified: true, settings }),
  'give up service': (at) => at.service({ ticket: 'two', isSpecified: false }),
};

const places: readonly (readonly [FakeNode['provision_state'], readonly string[]])[] = [
  ['clean failed', ['prepare', 'prepare without work', 'provision', 'deprovision', 'inspect']],
  ['service failed', ['service', 'give up service', 'deprovision']],
  ['inspect failed', ['prepare', 'provision', 'deprovision']],
  ['adopt failed', ['prepare', 'provision', 'deprovision', 'inspect']],
  ['deploy failed', ['prepare']],
];

const last_error = 'it went wrong';
const kinds: Readonly<Record<string, (fault: string) => Partial<FakeNode>>> = {
  'an operator began': () => ({ fault: null, maintenance_reason: 'do not touch' }),
  // Ironic leaves the fault there, and does not put its own reason in place of another.
  'an operator gave a new reason for': (fault) => ({ fault, maintenance_reason: 'do not touch' }),
  'an operator began without a reason': (fault) => ({ fault, maintenance_reason: null }),
  'Ironic began because of the power': () => ({ fault: 'power failure', maintenance_reason: 'no answer' }),
};

for (const [state, names] of places) {
  for (const [kind, members] of Object.entries(kinds)) {
    test(`maintenance that ${kind} is not ended for a node in ${state}`, async (t) => {
      const bench = await createTestBench(t);
      const fault = state === 'service failed' ? 'service failure' : 'clean failure';
      const node = await bench.node(state, { last_error, maintenance: true, ...members(fault) });
      for (const name of names) {
        const outcome = await calls[name]?.(bench.at());
        assert.equal(outcome?.kind, 'busy', name);
        const told = outcome.kind === 'busy' ? outcome.message : '';
        assert.ok(told.includes(node.maintenance_reason ?? 'no reason'), told);
        assert.deepEqual(bench.changes(), [], name);
      }
    });
  }
}

for (const [state, name, target] of [
  ['clean failed', 'deprovision', 'manage'],
  ['service failed', 'give up service', 'abort'],
] as const) {
  test(`maintenance that Ironic began because work failed is ended, also when another error came later (${state})`, async (t) => {
    for (const later of [last_error, null, 'Failed to change power state']) {
      const bench = await createTestBench(t);
      const fault = state === 'clean failed' ? 'clean failure' : 'service failure';
      const reason = { maintenance: true, maintenance_reason: last_error, fault };
      const node = await bench.node(state, { ...reason, last_error: later });
      bench.ironic.api.history.set(node.uuid, [
        { event: last_error, severity: 'ERROR', created_at: '2026-01-01T00:00:00+00:00' },
      ]);
      await calls[name]?.(bench.at());
      assert.deepEqual(targetsOf(bench.changes()), [target], String(later));
      assert.equal(node.maintenance, false);
    }
  });
}
