import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HealthSubject, isInTrouble, managementProblemOf, readHostHealth } from './host-health.ts';

type Status = NonNullable<HealthSubject['status']>;
type Condition = NonNullable<Status['conditions']>[number];

const ok = { operationalStatus: 'OK', poweredOn: true, provisioning: { state: 'provisioned' } };
const message = 'the BMC at https://10.0.0.7 cannot be reached: ECONNRESET';
const condition = (type: string, status: string, reason: string, text = ''): Condition => ({
  ...{ type, status, reason, message: text },
});
const lost = condition('Manageable', 'False', 'PowerFailure', message);
const doubt = condition('Manageable', 'Unknown', 'BMCNotAnswering', message);
const registering = { operationalStatus: 'OK', provisioning: { state: 'registering' } };

const rows: [string, Status, string, RegExp][] = [
  ['is fine', ok, 'ok OK', /^$/],
  ['is off and should be on', { ...ok, poweredOn: false }, 'attention off', /should be on/],
  ['is being serviced', { ...ok, operationalStatus: 'servicing' }, 'busy live update', /^$/],
  ['is detached', { ...ok, operationalStatus: 'detached' }, 'attention detached', /Nobody/],
  [
    'has failed',
    { ...ok, operationalStatus: 'error', errorType: 'servicing error' },
    'error servicing error',
    /no reason/,
  ],
  ['has no BMC that answers', { ...ok, conditions: [lost] }, 'error BMC unreachable', /ECONNRESET$/],
  [
    'failed before its BMC went away',
    { ...ok, errorType: 'servicing error', errorMessage: 'no image', conditions: [lost] },
    'error BMC unreachable',
    /ECONNRESET\. It is also in error \(servicing error\): no image$/,
  ],
  ['may have a BMC that does not answer', { ...ok, conditions: [doubt] }, 'unknown unknown', /ECONNRESET/],
  [
    'has a BMC that restarts during an install',
    { ...ok, conditions: [doubt, condition('Progressing', 'True', 'FirmwareWork', 'others')] },
    'busy firmware work',
    /others/,
  ],
  ['has a warning', { ...ok, conditions: [condition('Healthy', 'False', 'Warning')] }, 'attention Warning', /^$/],
  ['is broken', { ...ok, conditions: [condition('Healthy', 'False', 'CriticalError')] }, 'error CriticalError', /^$/],
  ['is being inspected', { ...ok, provisioning: { state: 'inspecting' } }, 'busy inspecting', /^$/],
  ['is being registered', registering, 'busy registering', /^$/],
  [
    'nobody provisions',
    { ...registering, conditions: [condition('Manageable', 'False', 'Registering', 'no provisioner is set for it')] },
    'attention no provisioner',
    /no provisioner/,
  ],
  [
    'waits for its Ironic',
    { ...registering, conditions: [condition('Manageable', 'False', 'Registering', 'Ironic is away')] },
    'unknown waiting',
    /away/,
  ],
  ['is new', {}, 'idle new', /^$/],
];

describe('the health of a host that', () => {
  for (const [what, status, expected, why] of rows) {
    it(what, () => {
      const health = readHostHealth({ metadata: {}, spec: { online: true }, status });
      assert.equal(`${health.kind} ${health.word}`, expected);
      assert.match(health.why, why);
      assert.equal(isInTrouble(health), ['error', 'attention'].includes(health.kind));
    });
  }
});

describe('what keeps a host from being managed', () => {
  const messages: [string, string][] = [
    ['the BMC at x refused the credentials of user a; no further log-in is tried until they change', 'credentials'],
    ['the account of user a is locked on the BMC at x; it is left alone for a while', 'locked'],
    ['the certificate of the BMC at x is not trusted: self-signed certificate in certificate chain', 'certificate'],
    ['the BMC at x is busy: try later', 'busy'],
    ['the BMC at x did not answer GET /redfish/v1 within 20000 ms', 'unreachable'],
    ['a host is reached by Redfish here, not by ipmi', 'scheme'],
    ['no provisioner is set for this host: start Rackwright with ...', 'no-provisioner'],
    ["Unable to connect to https://x: HTTPConnectionPool(host='x'): [Errno 111] Connection refused", 'unreachable'],
    ['the BMC at x refused GET /redfish/v1/Systems/1 with 403: a right is missing', 'other'],
    ['something new', 'other'],
  ];
  for (const [text, problem] of messages) {
    it(`is read from: ${text}`, () => assert.equal(managementProblemOf(text), problem));
  }
});
