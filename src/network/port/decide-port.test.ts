import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkTable, drawStateTable, rowsFrom } from '../../kube/index.ts';
import { cleanSettings, portAspects } from '../../switches/index.ts';
import { forceAnnotation, linkedByAnnotation, retryAnnotation } from '../resources.ts';
import { defaultNetworkSettings } from '../settings.ts';
import { aSwitch, noon, type PortDraft, portSeen, reading, settled, unit, vlan } from '../testing/port-seen.ts';
import { decidePort } from './decide-port.ts';
import type { PortMemory, SwitchStanding } from './port-seen.ts';
import { factsOf, goalKey, situationOf } from './port-situation.ts';
import { portTable } from './port-table.ts';

const ten = { untaggedVLAN: 10 };
const trunk = { ...vlan(10), taggedVlans: [{ first: 20, last: 22 }] };
const idle = { state: 'Idle' } as const;
const clean = { state: 'Idle', physicalPortName: 'Ethernet1', appliedTo: unit } as const;
const named = { [linkedByAnnotation]: 'tenant/h1' };
const gone: SwitchStanding = { kind: 'waiting', fault: { code: 'SwitchUnreachable', message: 'no answer' } };
const forced = { [forceAnnotation]: 'true' };

/** A failure of what a port is about to do. */
function failing(
  draft: PortDraft,
  phase: 'Configuring' | 'Cleaning',
  failure: Partial<NonNullable<PortMemory['failure']>>,
): PortDraft {
  const seen = portSeen(draft);
  const goal = goalKey(seen, situationOf(seen), phase);
  const failed = {
    at: noon,
    call: 'apply',
    goal,
    attempts: 1,
    failure: { kind: 'refused', message: 'no' },
    ...failure,
  } as const;
  return { ...draft, memory: { ...draft.memory, failure: failed } };
}

test('the table of ports is sound: all states reached, each with an exit and an abort, no two rows at once', () => {
  assert.deepEqual(checkTable(portTable), []);
  assert.match(drawStateTable(portTable), /Active --> Configuring/);
});

interface Case {
  readonly name: string;
  readonly draft: PortDraft;
  readonly state: string | undefined;
  readonly effects?: readonly string[];
  readonly error?: string;
}

const cases: readonly Case[] = [
  // None
  {
    name: 'None: a new port gets its finalizer first',
    draft: { finalizers: [] },
    state: undefined,
    effects: ['add-finalizer'],
  },
  { name: 'None: with its finalizer it is Idle, and read', draft: {}, state: 'Idle', effects: ['read'] },
  {
    name: 'None: one that leaves is said to be deleted',
    draft: { isLeaving: true },
    state: 'Deleting',
    effects: [],
  },
  // Idle
  { name: 'Idle: without a configuration it is only read', draft: { status: idle }, state: 'Idle', effects: ['read'] },
  { name: 'Idle: once read it rests', draft: { status: idle, memory: reading(vlan(7)) }, state: 'Idle', effects: [] },
  {
    name: 'Idle: a linked configuration leads to Configuring',
    draft: { status: idle, configuration: ten },
    state: 'Configuring',
    effects: ['read'],
  },
  {
    name: 'Idle: a port that a host wants clean is cleaned',
    draft: { status: idle, annotations: named, memory: reading(vlan(7)) },
    state: 'Cleaning',
    effects: ['clear'],
  },
  {
    name: 'Idle: one that is clean already is found so without a write',
    draft: { status: idle, annotations: named, memory: reading(cleanSettings()) },
    state: 'Idle',
    effects: [],
  },
  {
    name: 'Idle: a clean port is read after a restart',
    draft: { status: clean },
    state: 'Idle',
    effects: ['read'],
  },
  {
    name: 'Idle: a clean port that somebody set is cleaned again',
    draft: { status: clean, memory: reading(vlan(7)) },
    state: 'Cleaning',
    effects: [],
  },
  {
    name: 'Idle: what was clean was another socket, and this one is only read',
    draft: { status: clean, memory: reading(vlan(7)), seen: { entry: { name: 'Ethernet2' } } },
    state: 'Idle',
    effects: ['read'],
  },
  {
    name: 'Idle: the port that the switch is managed through is not cleaned for a host',
    draft: {
      status: idle,
      annotations: named,
      memory: reading(vlan(7)),
      seen: { owner: aSwitch({ managementPort: 'Ethernet1' }) },
    },
    state: 'Idle',
    effects: [],
    error: 'ManagementPort',
  },
  {
    name: 'Idle: deletion leads to Deleting',
    draft: { status: idle, isLeaving: true },
    state: 'Deleting',
    effects: [],
  },
  // Configuring
  {
    name: 'Configuring: the device is read first',
    draft: { status: { state: 'Configuring' }, configuration: ten },
    state: 'Configuring',
    effects: ['read'],
  },
  {
    name: 'Configuring: a port that matches already becomes Active without a write',
    draft: { status: { state: 'Configuring' }, configuration: ten, memory: reading(vlan(10)) },
    state: 'Active',
    effects: [],
  },
  {
    name: 'Configuring: what is about to be set is noted down first',
    draft: { status: { state: 'Configuring' }, configuration: ten, memory: reading(cleanSettings()) },
    state: 'Configuring',
    effects: [],
  },
  {
    name: 'Configuring: the same on a port that somebody else had set',
    draft: { status: { state: 'Configuring' }, configuration: ten, memory: reading(vlan(7)) },
    state: 'Configuring',
    effects: [],
  },
  {
    name: 'Configuring: what is noted down is applied',
    draft: { status: settled('Configuring', vlan(10)), configuration: ten, memory: reading(cleanSettings()) },
    state: 'Configuring',
    effects: ['apply'],
  },
  {
    name: 'Configuring: an update clears the previous configuration',
    draft: { status: settled('Configuring', trunk), configuration: ten, memory: reading(trunk) },
    state: 'Configuring',
    effects: ['clear'],
  },
  {
    name: 'Configuring: a cleared port gets the new one noted down',
    draft: { status: settled('Configuring', trunk), configuration: ten, memory: reading(cleanSettings()) },
    state: 'Configuring',
    effects: [],
  },
  {
    name: 'Configuring: nothing linked any more, nothing set: Idle',
    draft: { status: { state: 'Configuring' }, memory: reading(vlan(7)) },
    state: 'Idle',
    effects: [],
  },
  {
    name: 'Configuring: nothing linked any more, something set: Cleaning',
    draft: { status: settled('Configuring', vlan(10)), memory: reading(vlan(10)) },
    state: 'Cleaning',
    effects: ['clear'],
  },
  {
    name: 'Configuring: what is under way is waited for',
    draft: {
      status: settled('Configuring', vlan(10)),
      configuration: ten,
      memory: { ...reading(cleanSettings()), work: { kind: 'apply', since: noon } },
    },
    state: 'Configuring',
    effects: [],
  },
  {
    name: 'Configuring: what limits refuse is not written',
    draft: {
      status: { state: 'Configuring' },
      configuration: ten,
      memory: reading(cleanSettings()),
      seen: { entry: { name: 'Ethernet1', vlanRange: '1-9' } },
    },
    state: 'Configuring',
    effects: [],
    error: 'VLANNotAllowedOnPort',
  },
  {
    name: 'Configuring: a refused update leaves the old one in place',
    draft: {
      status: settled('Configuring', trunk),
      configuration: ten,
      memory: reading(trunk),
      seen: { entry: { name: 'Ethernet1', disabled: true } },
    },
    state: 'Configuring',
    effects: [],
    error: 'PortDisabled',
  },
  {
    name: 'Configuring: without the switch nothing is done',
    draft: {
      status: settled('Configuring', vlan(10)),
      configuration: ten,
      memory: reading(vlan(7)),
      seen: { standing: gone },
    },
    state: 'Configuring',
    effects: [],
    error: 'SwitchUnreachable',
  },
  // Active
  {
    name: 'Active: as it should be, it rests',
    draft: { status: settled('Active', vlan(10)), configuration: ten, memory: reading(vlan(10)) },
    state: 'Active',
    effects: [],
  },
  {
    name: 'Active: not read yet, it is read',
    draft: { status: settled('Active', vlan(10)), configuration: ten },
    state: 'Active',
    effects: ['read'],
  },
  {
    name: 'Active: read long ago, it is read',
    draft: {
      status: settled('Active', vlan(10)),
      configuration: ten,
      memory: { reading: { ...(reading(vlan(10)).reading ?? never()), at: noon - defaultNetworkSettings.driftMs } },
    },
    state: 'Active',
    effects: ['read'],
  },
  {
    name: 'Active: told by the device that it changed, it is read',
    draft: {
      status: settled('Active', vlan(10)),
      configuration: ten,
      memory: { reading: { ...(reading(vlan(10)).reading ?? never()), isStale: true } },
    },
    state: 'Active',
    effects: ['read'],
  },
  {
    name: 'Active: drift leads back to Configuring',
    draft: { status: settled('Active', vlan(10)), configuration: ten, memory: reading(vlan(666)) },
    state: 'Configuring',
    effects: [],
  },
  {
    name: 'Active: drift to clean does, too',
    draft: { status: settled('Active', vlan(10)), configuration: ten, memory: reading(cleanSettings()) },
    state: 'Configuring',
    effects: [],
  },
  {
    name: 'Active: another configuration leads to Configuring',
    draft: { status: settled('Active', vlan(11)), configuration: ten, memory: reading(vlan(11)) },
    state: 'Configuring',
    effects: [],
  },
  {
    name: 'Active: no configuration leads to Cleaning',
    draft: { status: settled('Active', vlan(10)), memory: reading(vlan(10)) },
    state: 'Cleaning',
  },
  {
    name: 'Active: deletion leads to Cleaning',
    draft: { status: settled('Active', vlan(10)), configuration: ten, memory: reading(vlan(10)), isLeaving: true },
    state: 'Cleaning',
  },
  {
    name: 'Active: another socket leads to Cleaning of the one before',
    draft: {
      status: settled('Active', vlan(10)),
      configuration: ten,
      memory: reading(vlan(10)),
      seen: { entry: { name: 'Ethernet2' } },
    },
    state: 'Cleaning',
  },
  {
    name: 'Active: a switch that is away changes nothing',
    draft: {
      status: settled('Active', vlan(10)),
      configuration: ten,
      memory: reading(vlan(10)),
      seen: { standing: gone },
    },
    state: 'Active',
    effects: [],
  },
  {
    name: 'Active: a configuration that is gone changes nothing',
    draft: {
      status: settled('Active', vlan(10)),
      configuration: ten,
      memory: reading(vlan(10)),
      seen: { configuration: undefined },
    },
    state: 'Active',
    effects: [],
  },
  // Cleaning
  {
    name: 'Cleaning: the device is read first',
    draft: { status: settled('Cleaning', vlan(10)) },
    state: 'Cleaning',
    effects: ['read'],
  },
  {
    name: 'Cleaning: what is there is cleared',
    draft: { status: settled('Cleaning', vlan(10)), memory: reading(vlan(10)) },
    state: 'Cleaning',
    effects: ['clear'],
  },
  {
    name: 'Cleaning: a port that is shut down is cleared too',
    draft: { status: settled('Cleaning', vlan(10)), memory: reading({ ...cleanSettings(), isDisabled: true }) },
    state: 'Cleaning',
    effects: ['clear'],
  },
  {
    name: 'Cleaning: a clean port is Idle',
    draft: { status: settled('Cleaning', vlan(10)), memory: reading(cleanSettings()) },
    state: 'Idle',
    effects: [],
  },
  {
    name: 'Cleaning: what was read before a change that is under way does not count',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: { ...reading(cleanSettings()), work: { kind: 'apply', since: noon } },
    },
    state: 'Cleaning',
    effects: [],
  },
  {
    name: 'Cleaning: a change that was given up is waited for',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: { ...reading(cleanSettings()), unsettled: { at: noon, wanted: vlan(10) } },
    },
    state: 'Cleaning',
    effects: [],
  },
  {
    name: 'Cleaning: what it may have left is read once it has ended',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: {
        ...reading(cleanSettings()),
        unsettled: { at: noon - defaultNetworkSettings.settleMs, wanted: vlan(10) },
      },
    },
    state: 'Cleaning',
    effects: ['read'],
  },
  {
    name: 'Cleaning: what there still is meanwhile is cleared at once',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: { ...reading(vlan(10)), unsettled: { at: noon, wanted: vlan(10) } },
    },
    state: 'Cleaning',
    effects: ['clear'],
  },
  {
    name: 'Cleaning: a change that would clean it, too, is not waited for',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: { ...reading(cleanSettings()), unsettled: { at: noon, wanted: cleanSettings() } },
    },
    state: 'Idle',
    effects: [],
  },
  {
    name: 'Cleaning: a reading that may be out of date is taken again',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: { reading: { ...(reading(cleanSettings()).reading ?? never()), isStale: true }, unit },
    },
    state: 'Cleaning',
    effects: ['read'],
  },
  {
    name: 'Cleaning: clean means the parking VLAN, where there is one',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: reading(cleanSettings()),
      seen: { owner: aSwitch({ parkingVLAN: 999 }) },
    },
    state: 'Cleaning',
    effects: ['clear'],
  },
  {
    name: 'Cleaning: in the parking VLAN it is Idle',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: reading(vlan(999)),
      seen: { owner: aSwitch({ parkingVLAN: 999 }) },
    },
    state: 'Idle',
    effects: [],
  },
  {
    name: 'Cleaning: a switch that is away is waited for',
    draft: { status: settled('Cleaning', vlan(10)), isLeaving: true, seen: { standing: gone } },
    state: 'Cleaning',
    effects: [],
    error: 'SwitchUnreachable',
  },
  {
    name: 'Cleaning: unless somebody insists',
    draft: { status: settled('Cleaning', vlan(10)), isLeaving: true, annotations: forced, seen: { standing: gone } },
    state: 'Idle',
    effects: [],
  },
  {
    name: 'Cleaning: who insists still gets it cleaned where that can be',
    draft: { status: settled('Cleaning', vlan(10)), isLeaving: true, annotations: forced, memory: reading(vlan(10)) },
    state: 'Cleaning',
    effects: ['clear'],
  },
  {
    name: 'Cleaning: insisting means nothing unless it leaves',
    draft: { status: settled('Cleaning', vlan(10)), annotations: forced, seen: { standing: gone } },
    state: 'Cleaning',
    effects: [],
    error: 'SwitchUnreachable',
  },
  {
    name: 'Cleaning: the Switch may insist for all of its ports',
    draft: {
      status: settled('Cleaning', vlan(10)),
      isLeaving: true,
      seen: { standing: gone, owner: { ...aSwitch(), metadata: { ...aSwitch().metadata, annotations: forced } } },
    },
    state: 'Idle',
    effects: [],
  },
  {
    name: 'Cleaning: the port that the switch is managed through is left alone',
    draft: {
      status: settled('Cleaning', vlan(10)),
      memory: reading(vlan(10)),
      seen: { owner: aSwitch({ managementPort: 'Ethernet1' }) },
    },
    state: 'Idle',
    effects: [],
  },
  // Deleting
  {
    name: 'Deleting: the finalizer goes',
    draft: { status: { state: 'Deleting' }, isLeaving: true },
    state: undefined,
    effects: ['remove-finalizer'],
  },
];

function never(): never {
  throw new TypeError('a reading is missing');
}

describe('what is decided about a port, state by state', () => {
  for (const { name, draft, state, effects, error } of cases) {
    test(name, () => {
      const decision = decidePort(portSeen(draft), noon);
      assert.equal(decision.status?.state, state);
      if (effects !== undefined)
        assert.deepEqual(
          decision.effects.map(({ kind }) => kind),
          effects,
        );
      assert.equal(decision.status?.error?.reason, error);
    });
  }

  test('every row of the table is taken by one of them', () => {
    const taken = new Set<unknown>();
    for (const { draft } of cases) {
      const seen = portSeen(draft);
      const situation = situationOf(seen);
      let phase = situation.phase;
      for (let steps = 0; steps < portTable.states.length; steps++) {
        const facts: Readonly<Record<string, unknown>> = factsOf(seen, situation, { phase, now: noon });
        const row = rowsFrom(portTable, phase).find(({ when }) =>
          Object.entries(when).every(([fact, wanted]) => [wanted].flat().includes(facts[fact] as never)),
        );
        if (row !== undefined) taken.add(row);
        if (row === undefined || row.do !== undefined || row.to === phase) break;
        phase = row.to;
      }
    }
    assert.deepEqual(
      portTable.rows.filter((row) => !taken.has(row)),
      [],
    );
  });
});

describe('what the status of a port says', () => {
  test('noting down says what is being applied', () => {
    const { status } = decidePort(
      portSeen({ status: { state: 'Configuring' }, configuration: ten, memory: reading(vlan(7)) }),
      noon,
    );
    assert.deepEqual(status?.configuration, { untaggedVLAN: 10, disabled: false });
    assert.deepEqual(status?.configurationRef, { name: 'net', namespace: 'infra' });
    assert.deepEqual(status?.observed, { untaggedVLAN: 7, disabled: false });
  });

  test('drift takes the reference away, keeps what was set, and an event says what changed', () => {
    const drifted = portSeen({ status: settled('Active', vlan(10)), configuration: ten, memory: reading(vlan(666)) });
    const { status, events } = decidePort(drifted, noon);
    assert.equal(status?.configurationRef, undefined);
    assert.deepEqual(status?.configuration, { untaggedVLAN: 10, disabled: false });
    assert.deepEqual(
      events?.map(({ reason, message }) => [reason, message]),
      [['ConfigurationDrifted', 'Somebody changed Ethernet1 on the switch; it is set back: untaggedVlan 666 -> 10.']],
    );
  });

  test('nobody is said to have changed the switch when the parking VLAN of its Switch did', () => {
    const owner = aSwitch({ parkingVLAN: 999 });
    const status = { ...clean, observed: { disabled: false } };
    const eventOf = (memory: PortMemory) =>
      decidePort(portSeen({ status, memory, seen: { owner } }), noon).events?.map(({ type, reason, message }) => [
        ...[type, reason, message],
      ]);
    assert.deepEqual(eventOf(reading(cleanSettings())), [
      ['Normal', 'Cleaning', 'What a clean port is has changed; Ethernet1 is cleaned anew: untaggedVlan none -> 999.'],
    ]);
    for (const memory of [reading(vlan(666)), reading(cleanSettings(), { strays: ['a flow'] })])
      assert.deepEqual(eventOf(memory)?.[0]?.[1], 'ConfigurationDrifted');
  });

  test('a clean port says nothing of a configuration', () => {
    const { status, events } = decidePort(
      portSeen({ status: settled('Cleaning', vlan(10)), memory: reading(cleanSettings()) }),
      noon,
    );
    assert.equal(status?.configuration, undefined);
    assert.equal(status?.configurationRef, undefined);
    assert.deepEqual(
      events?.map(({ reason }) => reason),
      ['Cleaned'],
    );
  });

  test('a port that was left behind says what is still set there', () => {
    const draft = {
      status: settled('Cleaning', trunk),
      isLeaving: true,
      annotations: forced,
      seen: { standing: gone },
    };
    const [event] = decidePort(portSeen(draft), noon).events ?? [];
    assert.equal(event?.reason, 'LeftBehind');
    assert.match(event?.message ?? '', /Ethernet1 was left as it is \(untagged 10, tagged 20-22\): no answer/);
  });

  test('an error keeps the time it began at while its reason stays', () => {
    const since = '2026-01-01T10:00:00Z';
    const seen = { standing: gone };
    const error = { reason: 'SwitchUnreachable', message: 'before', since };
    const same = decidePort(portSeen({ status: { ...settled('Cleaning', vlan(10)), error }, seen }), noon);
    assert.equal(same.status?.error?.since, since);
    const other = { ...error, reason: 'Timeout' };
    const changed = decidePort(portSeen({ status: { ...settled('Cleaning', vlan(10)), error: other }, seen }), noon);
    assert.equal(changed.status?.error?.since, '2026-01-01T12:00:00Z');
  });
});

test('a change that was given up is said to be waited for, and how long', () => {
  const memory = { ...reading(cleanSettings()), unsettled: { at: noon, wanted: vlan(10) } };
  const { wake, status, why } = decidePort(portSeen({ status: settled('Cleaning', vlan(10)), memory }), noon);
  assert.deepEqual(wake, { after: defaultNetworkSettings.settleMs });
  const message =
    'The switch may still carry out a change that was given up; the port is read again at 2026-01-01T12:01:00Z.';
  assert.deepEqual(why, [{ code: 'Cleaning', message }]);
  assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'False');
});

test('a clean port says which switch it was found clean on, and one that nobody named does not', () => {
  const draft = { status: idle, memory: reading(cleanSettings()) };
  assert.equal(decidePort(portSeen(draft), noon).status?.appliedTo, undefined);
  assert.equal(decidePort(portSeen({ ...draft, annotations: named }), noon).status?.appliedTo, unit);
  assert.equal(decidePort(portSeen({ status: clean, memory: reading(cleanSettings()) }), noon).status?.appliedTo, unit);
});

describe('what a port does about failures', () => {
  const draft: PortDraft = {
    status: settled('Configuring', vlan(10)),
    configuration: ten,
    memory: reading(cleanSettings()),
  };
  const { retryFromMs, maxAttempts } = defaultNetworkSettings;

  test('it waits, longer each time, and says when it tries again', () => {
    const first = decidePort(portSeen(failing(draft, 'Configuring', {})), noon);
    assert.deepEqual(first.effects, []);
    assert.deepEqual(first.wake, { after: retryFromMs });
    assert.equal(first.status?.error?.nextAttempt, '2026-01-01T12:00:02Z');
    const third = decidePort(portSeen(failing(draft, 'Configuring', { attempts: 3 })), noon);
    assert.deepEqual(third.wake, { after: 4 * retryFromMs });
    const due = decidePort(portSeen(failing(draft, 'Configuring', {})), noon + retryFromMs);
    assert.deepEqual(
      due.effects.map(({ kind }) => kind),
      ['apply'],
    );
  });

  test('after so many refusals it waits for a change, such as another annotation or access', () => {
    const spent = failing(draft, 'Configuring', { attempts: maxAttempts });
    const stuck = decidePort(portSeen(spent), noon + 3_600_000);
    assert.deepEqual(stuck.effects, []);
    assert.deepEqual(stuck.wake, { on: 'change' });
    assert.equal(stuck.status?.error?.attempts, maxAttempts);
    assert.equal(stuck.status?.error?.nextAttempt, undefined);
    const again = decidePort(portSeen({ ...spent, annotations: { [retryAnnotation]: '1' } }), noon);
    assert.deepEqual(
      again.effects.map(({ kind }) => kind),
      ['apply'],
    );
    const rotated = decidePort(
      portSeen({ ...spent, seen: { standing: { kind: 'ready', access: 'b', unit, since: 0 } } }),
      noon,
    );
    assert.deepEqual(
      rotated.effects.map(({ kind }) => kind),
      ['apply'],
    );
  });

  test('what a switch cannot do is not tried again', () => {
    const failure = { kind: 'unsupported', aspects: ['acl'], message: 'no access lists' } as const;
    const never = decidePort(portSeen(failing(draft, 'Configuring', { failure })), noon + 3_600_000);
    assert.deepEqual(never.effects, []);
    assert.equal(never.status?.error?.reason, 'NotSupported');
  });

  test('a switch that cannot be reached is tried for ever, and at once when it is back', () => {
    const lost = failing(draft, 'Configuring', { failure: { kind: 'uncertain', message: 'lost' }, attempts: 50 });
    assert.deepEqual(decidePort(portSeen(lost), noon).wake, { after: defaultNetworkSettings.retryToMs });
    const failure = { kind: 'unreachable', message: 'no answer' } as const;
    const away = failing(draft, 'Configuring', { failure, attempts: 50 });
    const waits = decidePort(portSeen(away), noon);
    assert.equal(waits.status?.error?.reason, 'SwitchUnreachable');
    assert.deepEqual(waits.wake, { after: defaultNetworkSettings.retryToMs });
    const back = { standing: { kind: 'ready', access: 'a', unit, since: noon + 1 } } as const;
    const goes = decidePort(portSeen({ ...away, seen: back }), noon + 1);
    assert.deepEqual(
      goes.effects.map(({ kind }) => kind),
      ['apply'],
    );
    assert.equal(goes.status?.error, undefined);
  });

  test('a read that works does not make up for a change that was refused', () => {
    const refused = failing(draft, 'Configuring', { attempts: maxAttempts });
    const { status } = decidePort(portSeen({ ...refused, memory: { ...reading(vlan(7)), ...refused.memory } }), noon);
    assert.equal(status?.error?.reason, 'ChangeRefused');
  });
});

describe('switches that do not tell everything', () => {
  const unread = ['acl', 'disabled'] as const;
  const configuring: PortDraft = { status: settled('Configuring', vlan(10)), configuration: ten };

  test('a port is not taken for configured because nothing is known of it', () => {
    const seen = portSeen({ ...configuring, memory: reading(vlan(10), { unread }) });
    assert.deepEqual(
      decidePort(seen, noon).effects.map(({ kind }) => kind),
      ['apply'],
    );
  });

  test('what was set with success stands in for what is not told', () => {
    const seen = portSeen({ ...configuring, memory: { ...reading(vlan(10), { unread }), applied: vlan(10) } });
    assert.equal(decidePort(seen, noon).status?.state, 'Active');
  });

  test('an Active port stays so after a restart, and drift in what is told is seen', () => {
    const active = { status: settled('Active', vlan(10)), configuration: ten };
    const same = decidePort(portSeen({ ...active, memory: reading(vlan(10), { unread }) }), noon);
    assert.equal(same.status?.state, 'Active');
    const drifted = decidePort(portSeen({ ...active, memory: reading(vlan(11), { unread }) }), noon);
    assert.equal(drifted.status?.state, 'Configuring');
  });

  test('the status records what was told, and what was not', () => {
    const active = { status: settled('Active', vlan(10)), configuration: ten };
    const told = decidePort(portSeen({ ...active, memory: reading(vlan(10), { unread }) }), noon).status;
    assert.deepEqual([told?.observed, told?.unobserved], [{ untaggedVLAN: 10 }, ['acl', 'disabled']]);
    assert.notEqual(told?.lastReadTime, undefined);
    const blind = decidePort(portSeen({ ...active, memory: reading(vlan(10), { unread: portAspects }) }), noon).status;
    assert.deepEqual([blind?.observed, blind?.unobserved?.length, blind?.lastReadTime], [{}, 4, undefined]);
    const whole = decidePort(portSeen({ ...active, memory: reading(vlan(10)) }), noon).status;
    assert.deepEqual([whole?.observed, whole?.unobserved], [{ untaggedVLAN: 10, disabled: false }, undefined]);
  });

  test('what was set on another switch says nothing about this one', () => {
    const active = { status: settled('Active', vlan(10)), configuration: ten };
    const there = { kind: 'ready', access: 'b', unit: 'elsewhere', since: 0 } as const;
    const memory = { ...reading(vlan(10), { unread }), applied: vlan(10) };
    const first = decidePort(portSeen({ ...active, memory, seen: { standing: there } }), noon);
    assert.deepEqual(
      first.effects.map(({ kind }) => kind),
      ['read'],
    );
    const read = { ...reading(vlan(10), { unread }), unit: there.unit };
    const { status, events } = decidePort(portSeen({ ...active, memory: read, seen: { standing: there } }), noon);
    assert.equal(status?.state, 'Configuring');
    assert.match(events?.[0]?.message ?? '', /another one than Ethernet1 was set on; it is set anew/);
    const set = { status: status ?? {}, configuration: ten, memory: { ...read, applied: vlan(10) } };
    const done = decidePort(portSeen({ ...set, seen: { standing: there } }), noon);
    assert.equal(done.status?.appliedTo, there.unit);
    assert.deepEqual(
      done.events?.map(({ reason }) => reason),
      ['LeftBehind', 'Configured'],
    );
    // Whether it is another one is not known while it does not answer.
    const away = decidePort(portSeen({ ...active, memory: read, seen: { standing: gone } }), noon);
    assert.equal(away.status?.state, 'Active');
  });
});
