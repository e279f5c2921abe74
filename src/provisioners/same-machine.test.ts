import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contradictionOf, type MachineMarks } from './same-machine.ts';

const host = {
  ...{ namespace: 'fleet', name: 'a', isPowerOffDisabled: false, bootMacAddress: '00:25:90:00:00:01' },
  marks: { macs: ['00:25:90:00:00:01', '00:25:90:00:00:02', 'be:3a:f2:b6:05:9f'], serialNumber: 'SN-A' },
};
const seen = (serialNumbers: readonly string[], macs: readonly string[]): MachineMarks => ({ serialNumbers, macs });

const same: readonly (readonly [string, MachineMarks])[] = [
  ['the same serial number', seen(['sn-a '], [])],
  ['a serial number beside another one, as Dell has it', seen(['CN0011', 'SN-A'], ['00:25:90:00:00:77'])],
  ['another serial number and one NIC in common', seen(['BOARD-1'], ['00:25:90:00:00:02'])],
  ['nothing that could be compared', seen(['To be filled by O.E.M.'], [])],
];
for (const [what, marks] of same) {
  test(`a BMC that tells ${what} is taken`, () => assert.equal(contradictionOf(host, marks), undefined));
}

const others: readonly (readonly [string, MachineMarks])[] = [
  ['another serial number', seen(['SN-B'], [])],
  ['other NICs only', seen([], ['00:25:90:00:00:77'])],
  ['a filler and other NICs', seen(['0000'], ['00:25:90:00:00:77'])],
  ['another serial number and only the NIC inside that all have', seen(['SN-B'], ['be:3a:f2:b6:05:9f'])],
];
for (const [what, marks] of others) {
  test(`a BMC that tells ${what} is that of another machine, and both are told`, () => {
    const message = contradictionOf(host, marks) ?? '';
    assert.match(message, /another machine.*serial number SN-A and MACs 00:25:90:00:00:01.*correct spec\.bmc/);
    const [mark = ''] = [...marks.serialNumbers.filter((each) => each !== '0000'), ...marks.macs];
    assert.ok(message.includes(mark), message);
  });
}

test('a simulated NIC that a host boots from counts, though nobody assigned its address', () => {
  const simulated = { ...host, bootMacAddress: '52:54:00:00:00:01', marks: { macs: ['52:54:00:00:00:01'] } };
  assert.equal(contradictionOf(simulated, seen([], ['52:54:00:00:00:01'])), undefined);
  assert.notEqual(contradictionOf(simulated, seen([], ['52:54:00:00:00:02'])), undefined);
});
