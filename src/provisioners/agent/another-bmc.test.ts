import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BmcMarks, Provisioners } from '../provisioner.ts';
import { createDemoProvisioners } from '../testing/demo/index.ts';
import { handDriven } from './testing/hand-driven.ts';
import { macOf, registration, startedAgents } from './testing/started-agents.ts';

/** Demo hosts whose BMCs tell that of themselves; `asked` counts what reaches them. */
function bmcsWith(marks: BmcMarks): Provisioners & { readonly asked: string[] } {
  const demo = createDemoProvisioners();
  const asked: string[] = [];
  return {
    ...demo,
    asked,
    of(host) {
      const it = demo.of(host);
      return {
        ...it,
        readMarks: async () => ({ kind: 'done', value: marks }),
        register: (order) => {
          asked.push('register');
          return it.register(order);
        },
        setPower: (order) => {
          asked.push(order.target);
          return it.setPower(order);
        },
      };
    },
  };
}

const off = { target: 'off', mode: 'hard', isForced: true, isRetry: false } as const;
const credentials = { username: 'admin', password: 'secret' };
const bmc = { address: 'redfish://bmc', isCertificateUnchecked: false, credentials };

describe('credentials of a BMC', () => {
  const others: readonly [string, BmcMarks][] = [
    ['with other MACs and another serial number', { macs: [macOf(9, 0)], serialNumbers: ['S9'] }],
    ['with other MACs that tells no serial number', { macs: [macOf(9, 0)], serialNumbers: [] }],
    ['with another serial number that knows no NICs', { macs: [], serialNumbers: ['S9', 'TAG9'] }],
    [
      'that shares a local MAC only, which a whole make may have inside,',
      { macs: [macOf(1, 1), macOf(9, 0)], serialNumbers: ['S9'] },
    ],
  ];
  for (const [name, marks] of others) {
    test(`of one ${name} are refused, and nothing is done to that machine`, async (t) => {
      const beside = bmcsWith(marks);
      const started = await startedAgents(t, { beside });
      const { host } = await handDriven(started, 1);
      const it = started.agents.provisioners.of({ ...host, bmc });
      for (const outcome of [await it.register(registration), await it.setPower(off)]) {
        assert.match(outcome.kind === 'failed' ? outcome.message : outcome.kind, /is that of another machine/);
      }
      assert.equal((await it.look()).kind, 'failed');
      assert.deepEqual(beside.asked, []);
    });
  }

  const own: readonly [string, BmcMarks][] = [
    ['with one MAC in common', { macs: [macOf(9, 0), macOf(1, 0)], serialNumbers: ['BOARD'] }],
    ['with its serial number in the second place', { macs: [macOf(9, 0)], serialNumbers: ['BOARD', 'S1'] }],
    ['that tells nothing', { macs: [], serialNumbers: [] }],
  ];
  for (const [name, marks] of own) {
    test(`of one ${name} are taken`, async (t) => {
      const beside = bmcsWith(marks);
      const started = await startedAgents(t, { beside });
      const { id, host } = await handDriven(started, 1);
      const it = started.agents.provisioners.of({ ...host, bmc });
      assert.deepEqual(await it.register(registration), { kind: 'done', value: { id } });
      assert.equal((await it.setPower(off)).kind, 'done');
      assert.ok(beside.asked.includes('off'));
    });
  }
});
