import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bmcContract, lackedBy } from '../../src/bmc/contract/index.ts';
import { emulatorTarget } from './bmc-contract-emulator.ts';
import { whyNoRealIronic } from './ironic/programs.ts';

const whyNot = whyNoRealIronic();

/** What sushy-tools has in no form, and what its libvirt driver lacks besides. */
const lackedByAll = ['hasBootProgress', 'hasEventStream', 'hasManagerReset', 'hasNeighbours'];
const lacked = { fakeplus: lackedByAll, libvirt: [...lackedByAll, 'hasVirtualMedia'] };

describe('the contract of a BMC on an emulator that others wrote', { skip: whyNot ?? false, concurrency: true }, () => {
  for (const driver of ['libvirt', 'fakeplus'] as const) {
    for (const isGuarded of [false, true]) {
      const target = emulatorTarget({ driver, isGuarded });
      it(`leaves out of ${target.name} only what that has not`, () => {
        assert.deepEqual(lackedBy(target.capabilities), lacked[driver]);
      });
      bmcContract(target);
    }
  }
});
