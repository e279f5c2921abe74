import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConditionRecord } from '../../conditionorc/index.ts';
import type { AnyKubeObject } from '../../kube/index.ts';
import { explainObject, type ObjectSeen } from './explain-object.ts';

const metadata = { name: 'h1', namespace: 'lab' };
const seen = (object: AnyKubeObject, more: Partial<ObjectSeen> = {}): ObjectSeen => ({
  ...{ object, events: [], work: [], network: undefined, port: undefined, ...more },
});
const host = (status: object, more: AnyKubeObject = {}): AnyKubeObject => ({
  ...{ kind: 'BareMetalHost', metadata, spec: {}, status, ...more },
});
const available = { provisioning: { state: 'available' }, operationalStatus: 'OK', poweredOn: false };

const hosts: [string, AnyKubeObject, RegExp][] = [
  ['that nobody has looked at', host({}), /has not looked at it yet/],
  ['without a BMC', host({ provisioning: { state: 'unmanaged' } }), /it waits for spec\.bmc\./],
  ['that is free', host(available), /no image is asked for/],
  ['that is about to be used', host(available, { spec: { image: { url: 'x' } } }), /about to be provisioned/],
  ['that is to be on', host(available, { spec: { online: true } }), /It is to be switched on\./],
  [
    'that cannot be logged in to',
    host({
      provisioning: { state: 'registering' },
      ...{ errorType: 'registration error', errorMessage: 'wrong password', errorCount: 3 },
    }),
    /^BareMetalHost lab\/h1 is in error \(registration error, 3 times by now\): wrong password\.\nCheck spec\.bmc\.address/,
  ],
  [
    'that is paused',
    host(available, { metadata: { ...metadata, annotations: { 'baremetalhost.metal3.io/paused': '' } } }),
    /It is paused by an annotation: nothing is done about it\./,
  ],
  [
    'that is going',
    host(available, { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['f'] } }),
    /being deleted since 2026-01-01T00:00:00Z, held by f\./,
  ],
];

const manageable = (reason: string, message: string, status = 'False') => [
  { type: 'Manageable', status, reason, message, lastTransitionTime: '' },
];
const registering = { provisioning: { state: 'registering' }, operationalStatus: 'OK' };
const failed = { ...registering, operationalStatus: 'error', errorType: 'registration error' };
const lost = 'the BMC at https://10.0.0.7 cannot be reached: ECONNRESET';
const refused = 'the BMC at x refused the credentials of user a; no further log-in is tried until they change';

hosts.push(
  [
    'whose BMC is lost',
    host({ ...available, conditions: manageable('PowerFailure', lost) }),
    /^BareMetalHost lab\/h1 is in error \(BMC unreachable\): .*ECONNRESET\.\nSee whether the BMC has power .*\nIt is available, last seen switched off, OK\.$/,
  ],
  [
    'whose BMC may be lost',
    host({ ...available, conditions: manageable('BMCNotAnswering', lost, 'Unknown') }),
    /^BareMetalHost lab\/h1 is in doubt: .*ECONNRESET\./,
  ],
  [
    'whose BMC has a certificate of somebody else',
    host({ ...failed, errorMessage: 'the certificate of the BMC at x is not trusted: self-signed' }),
    /--bmc-ca .*disableCertificateVerification/,
  ],
  [
    'that is reached by IPMI',
    host({ ...failed, errorMessage: 'a host is reached by Redfish here, not by ipmi' }),
    /--ironic-url/,
  ],
  [
    'that cannot be deprovisioned because of its BMC',
    host({ provisioning: { state: 'deprovisioning' }, errorType: 'provisioning error', errorMessage: lost }),
    /in error \(provisioning error\): .*ECONNRESET\.\nSee whether the BMC has power /,
  ],
  [
    'whose image server is away',
    host({
      provisioning: { state: 'provisioning' },
      ...{ errorType: 'provisioning error', errorMessage: 'http://files/a.raw cannot be reached: ECONNREFUSED' },
    }),
    /ECONNREFUSED\.\nCheck that spec\.image\.url can be fetched/,
  ],
  [
    'whose log-ins were stopped',
    host({ ...failed, errorMessage: refused, conditions: manageable('RegistrationFailed', refused) }),
    /Log-ins are stopped until its credentials change/,
  ],
  [
    'that nobody provisions',
    host({ ...registering, conditions: manageable('Registering', 'no provisioner is set for this host') }),
    /^BareMetalHost lab\/h1 is in trouble \(no provisioner\)[\s\S]*--provisioner redfish[\s\S]*Nothing is tried before/,
  ],
);

describe('of a host', () => {
  for (const [what, object, sentence] of hosts) {
    test(`${what} it is told why nothing happens`, () => {
      assert.match(explainObject(seen(object)).sentences.join('\n'), sentence);
    });
  }

  test('that others work on, the work is named with its reason', () => {
    const reason = { code: 'HostInUse', message: 'it is in use', since: '' };
    const open = { kind: 'firmwareInstall', client: 'admin', state: 'pending', created_at: 'then', finalized_at: null };
    const work = [{ ...open, reason, status: {} }] as unknown as ConditionRecord[];
    const { sentences } = explainObject(seen(host(available), { work }));
    assert.equal(
      sentences.at(-1),
      'firmwareInstall, asked for by admin, is pending since then (HostInUse: it is in use).',
    );
  });

  test('that is worked on, nothing says that it waits for somebody who wants it', () => {
    const open = { kind: 'firmwareInstall', client: 'admin', state: 'active', created_at: 'then', finalized_at: null };
    const work = [{ ...open, reason: null, status: {} }] as unknown as ConditionRecord[];
    const text = explainObject(seen(host(available), { work })).sentences.join('\n');
    assert.match(text, /Its machine is being worked on/);
    assert.doesNotMatch(text, /somebody who wants it|credentials are being tried|nothing is waited for/);
  });

  test('that cannot be registered, nothing says that credentials are being tried', () => {
    for (const status of [
      { ...failed, errorMessage: refused, conditions: manageable('RegistrationFailed', refused) },
      { ...registering, conditions: manageable('Registering', 'no provisioner is set for this host') },
    ]) {
      assert.doesNotMatch(explainObject(seen(host(status))).sentences.join('\n'), /are being tried/);
    }
  });

  test('that is paused, what to type takes the annotation away', () => {
    const annotations = { 'baremetalhost.metal3.io/paused': '' };
    const { advice } = explainObject(seen(host(available, { metadata: { ...metadata, annotations } })));
    assert.equal(advice[0]?.command, 'rackwright annotate bmh h1 -n lab baremetalhost.metal3.io/paused-');
  });

  test('that waits for its ports, what they wait for is told', () => {
    const network = { host: 'lab/h1', phase: 'deployed', verdict: 'waiting', message: 'Waiting for lab/p1.' } as const;
    const { sentences } = explainObject(seen(host(available), { network }));
    assert.ok(sentences.includes('Its ports: Waiting for lab/p1.'));
  });
});

test('of a machine its host is named, and how to ask about that', () => {
  const annotations = { 'metal3.io/BareMetalHost': 'lab/h1' };
  const conditions = [{ type: 'Ready', status: 'False', reason: 'Waiting', message: 'no node yet' }];
  const object = { kind: 'Metal3Machine', metadata: { ...metadata, annotations }, status: { conditions } };
  const { sentences, advice, state } = explainObject(seen(object));
  assert.equal(state, 'Ready=False');
  assert.deepEqual(sentences.slice(1), ['Waiting: no node yet', 'Its host is lab/h1.']);
  assert.equal(advice[0]?.command, 'rackwright why bmh/h1 -n lab');
});

test('of a port its host is told to people who may not read that host, and how to plan it', () => {
  const hostRef = { namespace: 'red', name: 'h1' };
  const object = { kind: 'SwitchPort', metadata, status: { state: 'Active', hostRef } };
  const { sentences, advice } = explainObject(seen(object));
  assert.ok(sentences.includes('Its host is red/h1.'), sentences.join('\n'));
  assert.equal(advice[0]?.command, `rackwright plan network ${metadata.namespace}/${metadata.name}`);
});

test('of a port in error the error is told, with what would be done', () => {
  const error = { reason: 'WriteFailed', message: 'the switch said no', since: 'then' };
  const object = { kind: 'SwitchPort', metadata, status: { state: 'Active', error } };
  const { sentences } = explainObject(seen(object));
  assert.ok(sentences.includes('It is in error since then: the switch said no.'), sentences.join('\n'));
});
