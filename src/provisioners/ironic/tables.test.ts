import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attempt, Deployment } from '../provisioner.ts';
import type { MoveTable } from './moves/index.ts';
import { type IronicNode, type ProvisionTarget, provisionStates, readNode, restingStates } from './node/index.ts';
import {
  adopting,
  decidePower,
  deprovisioning,
  importing,
  inspecting,
  preparing,
  provisioning,
  registering,
  servicing,
} from './operations/index.ts';
import { transitions } from './testing/index.ts';

type Order = Attempt & Readonly<Record<string, unknown>>;

interface Case {
  readonly name: string;
  readonly table: MoveTable<never, string>;
  readonly orders: readonly Order[];
  /** What the moves that only it knows ask Ironic for; undefined where that is no other state. */
  readonly targets: Readonly<Record<string, ProvisionTarget | undefined>>;
}

const deployment: Deployment = { image: { url: 'http://files/a', checksum: 'x' }, bootMode: 'UEFI' };
const settings = { ProcTurboMode: 'Disabled' };

/** Every combination of yes and no for the members. */
function orders(members: readonly string[], more: Readonly<Record<string, unknown>> = {}): Order[] {
  const [first, ...rest] = members;
  if (first === undefined) return [{ isRetry: false, ...more }];
  return [false, true].flatMap((value) => orders(rest, { ...more, [first]: value }));
}

const cases: readonly Case[] = [
  { name: 'registering', table: registering.table, orders: orders(['isRetry', 'haveCredentialsChanged']), targets: {} },
  {
    name: 'importing',
    table: importing.table,
    orders: orders(['isRetry', 'isOnlyNamed']),
    targets: { manage: 'manage', 'note-it-is-on': undefined },
  },
  { name: 'adopting', table: adopting.table, orders: orders(['isRetry']), targets: { 'take-over': 'adopt' } },
  {
    name: 'inspecting',
    table: inspecting.table,
    orders: orders(['isRetry', 'isRefresh', 'isForced'], { bootMode: 'UEFI' }),
    targets: { start: 'inspect' },
  },
  {
    name: 'preparing',
    table: preparing.table,
    orders: [...orders(['isRetry', 'isWanted'], { settings }), ...orders(['isRetry', 'isWanted'])],
    // A node whose cleaning failed is made manageable first.
    targets: { start: 'clean', restart: 'manage' },
  },
  {
    name: 'provisioning',
    table: provisioning.table,
    orders: orders(['isRetry', 'isForced'], { deployment, config: {} }),
    targets: { start: 'active', abort: 'abort' },
  },
  {
    name: 'deprovisioning',
    table: deprovisioning.table,
    orders: orders(['isRetry'], { cleaningMode: 'metadata' }),
    targets: { undeploy: 'deleted' },
  },
  {
    name: 'servicing',
    table: servicing.table,
    orders: [...orders(['isSpecified'], { settings, ticket: 'one' }), ...orders(['isSpecified'], { ticket: 'one' })],
    targets: { start: 'service' },
  },
];

/** What Ironic knows of the BMC of a node: how to log in, or nothing. */
const accesses = [
  { driver: 'redfish', driver_info: { redfish_username: 'admin' } },
  { driver: 'manual-management', power_interface: 'fake' },
];

function nodeIn(state: string, more: Readonly<Record<string, unknown>> = {}): IronicNode {
  return readNode({ uuid: '1', provision_state: state, last_error: 'it went wrong', ...more });
}

for (const { name, table, orders: asked, targets } of cases) {
  describe(`the table of ${name}`, () => {
    const moves = provisionStates.flatMap((state) =>
      asked.flatMap((order) =>
        accesses.flatMap((access) =>
          // A node that failed still says where it was going.
          [null, 'active'].map((target) => {
            const target_provision_state = state === 'enroll' ? null : target;
            const node = nodeIn(state, { ...access, target_provision_state });
            return { state, order, move: table[state]({ node, order: order as never }) };
          }),
        ),
      ),
    );

    it('asks only for what Ironic takes in that state', () => {
      for (const { state, order, move } of moves) {
        const target = move.do === 'ask' ? move.target : move.do === 'special' ? targets[move.step] : undefined;
        if (target === undefined) continue;
        assert.ok(target in transitions[state], `${target} in ${state} for ${JSON.stringify(order)}`);
      }
    });

    it('never waits where nothing happens by itself', () => {
      const resting: readonly string[] = restingStates;
      const stuck = moves.filter(({ state, move }) => move.do === 'wait' && resting.includes(state));
      assert.deepEqual(stuck, []);
    });

    it('knows all that is special about it', () => {
      for (const { move } of moves) if (move.do === 'special') assert.ok(move.step in targets, move.step);
    });
  });
}

describe('switching the power', () => {
  const order = { target: 'off', mode: 'hard', isForced: false, isRetry: false } as const;
  const on = { power_state: 'power on', last_error: null };

  it('waits for nobody in a state where nothing happens, wherever the node was going', () => {
    for (const state of restingStates) {
      const move = decidePower(nodeIn(state, { ...on, target_provision_state: 'active' }), order, {
        isPowerOffDisabled: false,
      });
      assert.deepEqual(move, { do: 'switch', target: 'power off', isDoneByThat: false }, state);
    }
  });
});
