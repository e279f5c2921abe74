import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { metal3ApiVersion, type Switch, type SwitchPort } from '../../api/index.ts';
import { checkTable, rowsFrom } from '../../kube/index.ts';
import type { Verification } from '../devices/switch-book.ts';
import { networkFinalizer } from '../resources.ts';
import { defaultNetworkSettings } from '../settings.ts';
import { aSwitch, noon } from '../testing/port-seen.ts';
import { decideSwitch } from './decide-switch.ts';
import { switchFactsOf } from './switch-facts.ts';
import type { SwitchSeen } from './switch-seen.ts';
import { switchTable } from './switch-table.ts';

const owner = { apiVersion: metal3ApiVersion, kind: 'Switch', name: 'leaf', uid: 'u-leaf', controller: true };

function portOf(name: string, more: Partial<SwitchPort['metadata']> = {}): SwitchPort {
  const metadata = { name, namespace: 'infra', ownerReferences: [owner], ...more };
  return { apiVersion: metal3ApiVersion, kind: 'SwitchPort', metadata, spec: {} };
}

function provider(more: object = {}): NonNullable<SwitchSeen['provider']> {
  return {
    apiVersion: metal3ApiVersion,
    kind: 'FixtureSwitch',
    metadata: {
      name: 'leaf',
      namespace: 'infra',
      uid: 'u-p',
      generation: 1,
      ownerReferences: [owner],
      finalizers: [networkFinalizer],
      ...more,
    },
  } as NonNullable<SwitchSeen['provider']>;
}

const good: Verification = {
  at: noon,
  access: 'u-p/1/',
  result: { kind: 'good', facts: {} },
  failures: 0,
  goodSince: noon,
};
const bad: Verification = {
  ...good,
  result: { kind: 'bad', fault: { code: 'SwitchUnreachable', message: 'no answer' } },
  failures: 1,
  goodSince: undefined,
};

interface Draft extends Partial<Omit<SwitchSeen, 'object'>> {
  readonly state?: NonNullable<Switch['status']>['state'];
  readonly isLeaving?: boolean;
  readonly isHeld?: boolean;
}

function seen({ state, isLeaving, isHeld = true, ...more }: Draft): SwitchSeen {
  const base = aSwitch();
  const object: Switch = {
    ...base,
    metadata: {
      ...base.metadata,
      generation: 1,
      finalizers: isHeld ? [networkFinalizer] : [],
      ...(isLeaving === true ? { deletionTimestamp: '2026-01-01T11:00:00Z' } : {}),
    },
    ...(state === undefined ? {} : { status: { state } }),
  };
  return {
    object,
    provider: provider(),
    ports: [portOf('p1')],
    strangers: [],
    verification: good,
    isVerifying: false,
    settings: defaultNetworkSettings,
    ...more,
  };
}

const stranger = portOf('p1', { ownerReferences: [] });
const foreign = portOf('p1', { ownerReferences: [{ ...owner, name: 'spine', uid: 'u-spine' }] });
const old = { ...good, at: noon - defaultNetworkSettings.verifyMs };

const cases: readonly [string, Draft, string | undefined, readonly string[], string?][] = [
  ['new: held first', { isHeld: false, verification: undefined }, undefined, ['add-finalizer']],
  ['new and held: asked', { verification: undefined }, 'Verifying', ['verify']],
  [
    'new and leaving: let go',
    { isLeaving: true, ports: [], verification: undefined },
    undefined,
    ['release-provider', 'remove-finalizer'],
  ],
  ['Verifying: no provider', { state: 'Verifying', provider: undefined }, 'Verifying', [], 'ProviderNotFound'],
  [
    'Verifying: a free provider is taken',
    { state: 'Verifying', provider: provider({ ownerReferences: [], finalizers: [] }), verification: undefined },
    'Verifying',
    ['adopt-provider'],
  ],
  [
    'Verifying: a provider of another Switch is not',
    {
      state: 'Verifying',
      provider: provider({ ownerReferences: [{ ...owner, name: 'spine', uid: 'u-spine' }] }),
      verification: undefined,
    },
    'Verifying',
    [],
    'ProviderTaken',
  ],
  ['Verifying: the switch is asked', { state: 'Verifying', verification: undefined }, 'Verifying', ['verify']],
  ['Verifying: once at a time', { state: 'Verifying', verification: undefined, isVerifying: true }, 'Verifying', []],
  [
    'Verifying: not again at once',
    { state: 'Verifying', verification: bad },
    'Verifying',
    ['tell-provider'],
    'SwitchUnreachable',
  ],
  ['Verifying: ports are made', { state: 'Verifying', ports: [] }, 'Configuring', ['tell-provider', 'create-port']],
  [
    'Configuring: a port made by hand becomes its own',
    { state: 'Configuring', ports: [], strangers: [stranger] },
    'Configuring',
    ['tell-provider', 'adopt-port'],
  ],
  [
    'Configuring: a port of another Switch is left alone, and said',
    { state: 'Configuring', ports: [], strangers: [foreign] },
    'Running',
    ['tell-provider'],
    'PortNameTaken',
  ],
  [
    'Configuring: a port that is listed no more goes',
    { state: 'Configuring', ports: [portOf('p1'), portOf('p2')] },
    'Configuring',
    ['tell-provider', 'delete-port'],
  ],
  ['Configuring: all there', { state: 'Configuring' }, 'Running', ['tell-provider']],
  [
    'Configuring: away',
    { state: 'Configuring', verification: bad },
    'Verifying',
    ['tell-provider'],
    'SwitchUnreachable',
  ],
  ['Running: a port is missing', { state: 'Running', ports: [] }, 'Configuring', ['tell-provider', 'create-port']],
  ['Running: asked now and then', { state: 'Running', verification: old }, 'Running', ['tell-provider', 'verify']],
  [
    'Running: asked at once when a call failed',
    { state: 'Running', verification: { ...good, isDoubtful: true } },
    'Running',
    ['tell-provider', 'verify'],
  ],
  ['Running: another provider', { state: 'Running', provider: provider({ generation: 2 }) }, 'Verifying', ['verify']],
  ['Running: the provider is gone', { state: 'Running', provider: undefined }, 'Verifying', [], 'ProviderNotFound'],
  ['Running: away', { state: 'Running', verification: bad }, 'Verifying', ['tell-provider'], 'SwitchUnreachable'],
  ['Deleting: its ports go first', { state: 'Running', isLeaving: true }, 'Deleting', ['tell-provider', 'delete-port']],
  [
    'Deleting: they need to know whether it is there',
    { state: 'Deleting', isLeaving: true, verification: undefined },
    'Deleting',
    ['delete-port', 'verify'],
  ],
  [
    'Deleting: also without a provider',
    { state: 'Deleting', isLeaving: true, provider: undefined },
    'Deleting',
    ['delete-port'],
    'ProviderNotFound',
  ],
  [
    'Deleting: with the last port it goes, and its provider',
    { state: 'Deleting', isLeaving: true, ports: [] },
    undefined,
    ['tell-provider', 'release-provider', 'remove-finalizer'],
  ],
];

describe('what is decided about a switch, state by state', () => {
  for (const [name, draft, state, effects, error] of cases) {
    test(name, () => {
      const decision = decideSwitch(seen(draft), noon);
      assert.equal(decision.status?.state, state);
      assert.deepEqual(
        decision.effects.map(({ kind }) => kind),
        effects,
      );
      assert.equal(decision.status?.error?.reason, error);
    });
  }

  test('the table is sound, and every row of it is taken by one of them', () => {
    assert.deepEqual(checkTable(switchTable), []);
    const taken = new Set<unknown>();
    for (const [, draft] of cases) {
      const one = seen(draft);
      const facts: Readonly<Record<string, unknown>> = switchFactsOf(one, noon);
      let phase: (typeof switchTable.states)[number] = draft.state ?? '';
      for (let steps = 0; steps < switchTable.states.length; steps++) {
        const row = rowsFrom(switchTable, phase).find(({ when }) =>
          Object.entries(when).every(([fact, wanted]) => [wanted].flat().includes(facts[fact] as never)),
        );
        if (row !== undefined) taken.add(row);
        if (row === undefined || row.do !== undefined || row.to === phase) break;
        phase = row.to;
      }
    }
    assert.deepEqual(
      switchTable.rows.filter((row) => !taken.has(row)),
      [],
    );
  });

  test('what went wrong is told by conditions', () => {
    const told = (verification: Verification) =>
      decideSwitch(seen({ state: 'Running', verification }), noon).status?.conditions?.map(
        ({ type, status }) => `${type}=${status}`,
      );
    assert.deepEqual(told(good), ['Ready=True', 'Reachable=True', 'CredentialsValid=True']);
    assert.deepEqual(told(bad), ['Ready=False', 'Reachable=False', 'CredentialsValid=Unknown']);
    const refused: Verification = {
      ...bad,
      result: { kind: 'bad', fault: { code: 'CredentialsRefused', message: 'no' } },
    };
    assert.deepEqual(told(refused), ['Ready=False', 'Reachable=True', 'CredentialsValid=False']);
  });

  test('what will not be possible is told before anything is asked of the switch', () => {
    const spec = { os: 'fos', ip: '192.0.2.1', credentialsSecret: { name: 's' } };
    const fos = { ...provider(), kind: 'AnsibleSwitch', spec } as NonNullable<SwitchSeen['provider']>;
    const told = (parkingVLAN?: number) => {
      const one = seen({ state: 'Verifying', verification: undefined, provider: fos });
      const object = {
        ...one.object,
        spec: { ...one.object.spec, ...(parkingVLAN === undefined ? {} : { parkingVLAN }) },
      };
      return decideSwitch({ ...one, object }, noon)
        .status?.conditions?.filter(({ status }) => status === 'False')
        .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
    };
    assert.match(told()?.join() ?? '', /CanClean ParkingVLANNeeded .*fos needs a VLAN .*give the Switch a parkingVLAN/);
    assert.doesNotMatch(told(999)?.join() ?? '', /CanClean/);
    assert.match(told(999)?.join() ?? '', /FullControl ProviderLimited on a switch with fos cannot be set: shutdown/);
  });

  test('nothing that is decided writes to the device', () => {
    for (const [, draft] of cases) {
      const kinds: readonly string[] = decideSwitch(seen(draft), noon).effects.map(({ kind }) => kind);
      assert.ok(!kinds.includes('apply') && !kinds.includes('clear'));
    }
  });
});
