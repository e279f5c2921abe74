import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineRecord } from '../records/machine-record.ts';
import { judgeIntroduction } from './judge-introduction.ts';

const macs = ['52:54:00:00:00:01', '52:54:00:00:00:02'];
const [bootMac = ''] = macs;
const introduction = { macs, bootMac, details: { serialNumber: 'S1' }, earlier: undefined } as never;
const removed: MachineRecord = {
  ...{ id: 'agent-old', bootMac, macs, use: 'unused', serialNumber: 'S1', introducedAtMs: 1, isRemoved: true },
};
const awaited: MachineRecord = {
  ...{ id: 'agent-new', bootMac, macs: [bootMac], use: 'unused', host: { namespace: 'red', name: 'h1' } },
};

test('the agent of a machine whose host was made anew is let in, though it remembers who it was before', () => {
  for (const proven of [removed.id, undefined]) {
    const judged = judgeIntroduction(introduction, [removed, awaited], { proven, isHeard: () => false });
    assert.deepEqual(judged, { kind: 'again', machine: awaited, forget: [removed.id] }, String(proven));
  }
  const alone = judgeIntroduction(introduction, [removed], { proven: removed.id, isHeard: () => false });
  assert.deepEqual(alone, { kind: 'new', forget: [removed.id] });
});

test('a token of a machine that was taken out proves nothing where two hosts have its MACs', () => {
  const other: MachineRecord = { ...awaited, id: 'agent-other', host: { namespace: 'red', name: 'h2' } };
  const judged = judgeIntroduction(introduction, [removed, awaited, other], {
    ...{ proven: removed.id, isHeard: () => false },
  });
  assert.equal(judged.kind, 'refused');
});
