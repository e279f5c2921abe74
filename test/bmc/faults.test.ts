import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultKinds } from '../../simulator/index.ts';
import { machineFaultCases } from './machine-fault-cases.ts';
import { requestFaultCases } from './request-fault-cases.ts';
import { sessionFaultCases } from './session-fault-cases.ts';
import { updateFaultCases } from './update-fault-cases.ts';

const cases = [...requestFaultCases, ...sessionFaultCases, ...updateFaultCases, ...machineFaultCases];

test('every fault that the simulator knows has a case that names what the client does', () => {
  const covered = new Set(cases.map(({ kind }) => kind));
  assert.deepEqual(
    faultKinds.filter((kind) => !covered.has(kind)),
    [],
  );
});

test('every case has a name of its own', () => {
  const names = cases.map(({ kind, title }) => `${kind}: ${title}`);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});
