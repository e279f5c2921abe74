import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServicedHost } from '../../provisioners/index.ts';
import type { HostSeen, Question } from '../decide/seen.ts';
import { nobodyElse } from '../ports.ts';
import { createScriptedProvisioners } from '../testing/scripted-provisioners.ts';
import { statusIn } from '../testing/settled-status.ts';
import { askProvisioner } from './ask-provisioner.ts';

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

test('what was ordered from others for a host is given up before it is deprovisioned, and before anybody is kept away', async () => {
  const provisioners = { ...createScriptedProvisioners(), worksByConditions: true };
  const goesOn = { kind: 'continue', afterMs: 5000 } as const;
  provisioners.answer('service', goesOn);
  const held: string[] = [];
  const externalWork = {
    ...nobodyElse,
    hold: async (_: unknown, what: string) => {
      held.push(what);
      return { kind: 'held' } as const;
    },
  };
  const parts = { provisioners, externalWork, machines: { isTaken: async () => false }, serviced };
  assert.deepEqual(await askProvisioner(parts, seen, deprovision), { deprovision: goesOn });
  assert.deepEqual([provisioners.methods('h1'), held], [['service'], []]);
  await askProvisioner(parts, seen, deprovision);
  assert.deepEqual([provisioners.methods('h1'), held], [['service', 'service', 'deprovision'], ['deprovision']]);
  const orders = provisioners.calls.filter(({ method }) => method === 'service').map(({ order }) => order);
  assert.deepEqual(orders, [
    { ticket: '', isSpecified: false },
    { ticket: '', isSpecified: false },
  ]);
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
