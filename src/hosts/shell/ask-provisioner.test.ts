import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServicedHost } from '../../provisioners/index.ts';
import type { HostSeen, Question } from '../decide/seen.ts';
import { nobodyElse } from '../ports.ts';
import { createScriptedProvisioners } from '../testing/scripted-provisioners.ts';
import { statusIn } from '../testing/settled-status.ts';
import { askProvisioner, identityOf } from './ask-provisioner.ts';

const seen = {
  host: { metadata: { namespace: 'fleet', name: 'h1' }, spec: { bmc: { address: 'redfish://10.0.0.7' } } },
  status: statusIn('registering'),
  secret: { kind: 'missing' },
} as unknown as HostSeen;

const serviced = { list: () => [], letIn: () => undefined };

const register: Question = {
  name: 'register',
  order: {
    ...{ isRetry: false, haveCredentialsChanged: false, isExternallyProvisioned: false },
    ...{ bootMode: 'UEFI', cleaningMode: 'metadata' },
  },
};

for (const isTaken of [true, false]) {
  test(`whoever registers a host is told that others ${isTaken ? 'have' : 'do not have'} its machine`, async () => {
    const provisioners = createScriptedProvisioners();
    const machines = { isTaken: async () => isTaken };
    await askProvisioner({ provisioners, externalWork: nobodyElse, machines, serviced }, seen, register);
    const orders = provisioners.calls.map(({ order }) => order);
    assert.deepEqual(orders, [isTaken ? { ...register.order, isMachineTaken: true } : register.order]);
  });
}

const deprovision: Question = { name: 'deprovision', order: { isRetry: false, cleaningMode: 'disabled' } };
const switchOff: Question = {
  name: 'power',
  order: { target: 'off', mode: 'hard', isForced: true, isRetry: false },
};
const goesOn = { kind: 'continue', afterMs: 5000 } as const;

/** What a question is put to, where the engine does what is ordered, and who was kept away from the machine meanwhile. */
function orderedParts() {
  const provisioners = { ...createScriptedProvisioners(), worksByConditions: true };
  const held: string[] = [];
  const hold = async (_: unknown, what: string) => {
    held.push(what);
    return { kind: 'held' } as const;
  };
  const externalWork = { ...nobodyElse, hold };
  return { parts: { provisioners, externalWork, machines: { isTaken: async () => false }, serviced }, held };
}

for (const { what, state, question, method } of [
  { what: 'deprovisioned', state: 'deprovisioning', question: deprovision, method: 'deprovision' },
  { what: 'switched off to be deleted', state: 'powering off before delete', question: switchOff, method: 'setPower' },
] as const) {
  test(`what was ordered from others for a host is given up before it is ${what}, and before anybody is kept away`, async () => {
    const { parts, held } = orderedParts();
    const { provisioners } = parts;
    provisioners.answer('service', goesOn);
    const leaving = { ...seen, status: statusIn(state) };
    assert.deepEqual(await askProvisioner(parts, leaving, question), { [question.name]: goesOn });
    assert.deepEqual([provisioners.methods('h1'), held], [['service'], []]);
    await askProvisioner(parts, leaving, question);
    assert.deepEqual([provisioners.methods('h1'), held], [['service', 'service', method], [question.name]]);
    const orders = provisioners.calls.filter((call) => call.method === 'service').map(({ order }) => order);
    assert.deepEqual(orders, [
      { ticket: '', isSpecified: false },
      { ticket: '', isSpecified: false },
    ]);
  });
}

test('a host that is only switched off keeps what was ordered for it', async () => {
  const { parts } = orderedParts();
  for (const state of ['provisioned', 'externally provisioned'] as const) {
    await askProvisioner(parts, { ...seen, status: statusIn(state) }, switchOff);
  }
  assert.deepEqual(parts.provisioners.methods('h1'), ['setPower', 'setPower']);
});

test('a host that is let in to be serviced counts as serviced from the answer on, and no other does', async () => {
  for (const { what, value, expected } of [
    { what: 'service', value: true, expected: [{ namespace: 'fleet', name: 'h1', address: 'redfish://10.0.0.7' }] },
    { what: 'service', value: false, expected: [] },
    { what: 'inspect', value: true, expected: [] },
  ] as const) {
    const hasCapacity = async () => ({ kind: 'done', value }) as const;
    const provisioners = { ...createScriptedProvisioners(), hasCapacity };
    const letIn: ServicedHost[] = [];
    const counted = { list: () => letIn, letIn: (host: ServicedHost) => void letIn.push(host) };
    const machines = { isTaken: async () => false };
    const parts = { provisioners, externalWork: nobodyElse, machines, serviced: counted };
    await askProvisioner(parts, seen, { name: 'capacity', what });
    assert.deepEqual(letIn, expected);
  }
});

test('a host registered by hand is told with what its inspection found, by which its machine may be known', () => {
  const nics = [{ name: 'eth0', mac: 'B0:7B:25:00:00:07' }, { name: 'eth1' }];
  const hardware = { nics, systemVendor: { serialNumber: 'SN0007' } } as const;
  const status = { ...statusIn('available'), hardware };
  const { hardware: told, marks } = identityOf({ ...seen, status });
  assert.deepEqual(told, { macs: ['b0:7b:25:00:00:07'], serialNumber: 'SN0007' });
  // Provisioners check nothing against what may be of the machine that the host had before.
  assert.equal(marks, undefined);
});
