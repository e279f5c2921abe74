import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BareMetalHostStatus, type ProvisioningState, provisioningStates } from '../../api/index.ts';
import { statusIn } from '../testing/settled-status.ts';
import { type OutsideView, withConditions } from './host-conditions.ts';

function shown(status: BareMetalHostStatus, outside?: OutsideView): Record<string, string> {
  const { conditions = [] } = withConditions(status, { outside, generation: 3, now: 0 });
  return Object.fromEntries(conditions.map(({ type, status: is, reason }) => [type, `${is[0]} ${reason}`]));
}

const busy: Partial<Record<ProvisioningState, string>> = {
  inspecting: 'Inspecting',
  preparing: 'Preparing',
  provisioning: 'Provisioning',
  deprovisioning: 'Deprovisioning',
  'powering off before delete': 'PoweringOffBeforeDelete',
  deleting: 'Deleting',
};

describe('the conditions of a host', () => {
  for (const state of provisioningStates) {
    it(`follow from its state (${state === '' ? 'none' : state})`, () => {
      const { Manageable, AvailableForProvisioning, Provisioned, Ready, Progressing } = shown(statusIn(state));
      const isUnmanaged = ['', 'unmanaged'].includes(state);
      const isUsed = ['provisioned', 'externally provisioned'].includes(state);
      const isAvailable = ['available', 'ready'].includes(state);
      const entry = { registering: 'Registering', importing: 'Importing' }[state as string];
      const work = entry ?? (state === 'match profile' ? 'Preparing' : busy[state]);
      assert.equal(Manageable, isUnmanaged ? 'F NotManaged' : entry === undefined ? 'T Manageable' : `F ${entry}`);
      assert.equal(AvailableForProvisioning, isAvailable ? 'T Available' : 'F NotAvailable');
      assert.equal(Provisioned, isUsed ? 'T Provisioned' : 'F NotProvisioned');
      assert.equal(Ready, isUsed ? 'T Provisioned' : 'F NotProvisioned');
      assert.equal(Progressing, work === undefined ? 'F NotProgressing' : `T ${work}`);
    });
  }

  it('say that registering failed, or importing', () => {
    assert.equal(shown(statusIn('importing', { operationalStatus: 'error' })).Manageable, 'F ImportFailed');
    assert.equal(shown(statusIn('registering', { operationalStatus: 'error' })).Manageable, 'F RegistrationFailed');
  });

  it('of a host in use say what keeps it from being ready', () => {
    assert.equal(shown(statusIn('provisioned', { operationalStatus: 'error' })).Ready, 'F Error');
    assert.equal(shown(statusIn('provisioned', { operationalStatus: 'servicing' })).Ready, 'F Servicing');
    const detached = shown(statusIn('provisioned', { operationalStatus: 'detached' }));
    assert.deepEqual([detached.Ready, detached.Progressing], ['F Detached', 'F Detached']);
  });

  it('tell of a power failure, where there is anything to be told', () => {
    const outside = { bmcProblem: { kind: 'lasting', message: 'no way to its BMC' } } as const;
    assert.equal(shown(statusIn('available'), outside).Manageable, 'F PowerFailure');
    assert.equal(shown(statusIn('deleting'), outside).Manageable, 'T Manageable');
    assert.equal(shown(statusIn('registering'), outside).Manageable, 'F Registering');
    assert.equal(shown(statusIn('unmanaged'), outside).Manageable, 'F NotManaged');
    assert.equal(shown(statusIn('provisioned', { operationalStatus: 'detached' }), outside).Manageable, 'T Manageable');
  });

  it('tell of its health', () => {
    const of = (health: OutsideView['health']) => shown(statusIn('available'), { health }).Healthy;
    assert.deepEqual(
      [of('OK'), of('Warning'), of('Critical'), of(undefined)],
      ['T Healthy', 'F Warning', 'F CriticalError', 'U Unknown'],
    );
  });

  it('keep what was last seen from outside when nobody looked', () => {
    const bmcProblem = { kind: 'lasting', message: 'no way to its BMC' } as const;
    const context = { outside: { bmcProblem, health: 'Warning' as const }, generation: 1, now: 0 };
    const before = withConditions(statusIn('available'), context);
    const after = shown(before);
    assert.deepEqual([after.Manageable, after.Healthy], ['F PowerFailure', 'F Warning']);
  });

  it('keep their time while they stay, and leave those of others alone', () => {
    const other = {
      type: 'NetworkConfigured',
      status: 'True' as const,
      reason: 'X',
      message: '',
      lastTransitionTime: '2024-01-01T00:00:00Z',
    };
    const first = withConditions(statusIn('available', { conditions: [other] }), {
      outside: undefined,
      generation: 1,
      now: 0,
    });
    const second = withConditions(
      { ...first, operationalStatus: 'error' },
      { outside: undefined, generation: 2, now: 60_000 },
    );
    const times = second.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]);
    assert.deepEqual(new Set(times?.slice(0, -1).map(([, time]) => time)), new Set(['1970-01-01T00:00:00Z']));
    assert.deepEqual(second.conditions?.at(-1), other);
    assert.equal(second.conditions?.[0]?.observedGeneration, 2);
  });
});
