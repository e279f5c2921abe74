import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isJsonObject, type JsonObject } from '../../schema/index.ts';
import { ApiError } from '../status.ts';
import { WebhookCallError } from '../webhook/webhook-client.ts';
import { AdmissionFixture, allow, widgetResource } from './admission-fixture.ts';

const add = (path: string, value: JsonObject | string | number) => ({ op: 'add', path, value });
const unreachable = () => new WebhookCallError('connection refused');

/** The object that the webhook asked so many times before was shown. */
function seenBy({ asked }: AdmissionFixture, index: number): JsonObject {
  const object = asked[index]?.request.object;
  assert.ok(isJsonObject(object), `request ${index} shows no object`);
  return object;
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'allowed';
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return `${error.code} ${error.message}`;
  }
}

describe('mutating webhooks', () => {
  test('are asked in the order of their names, each seeing what those before it did', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('mutating', 'b', () => allow(add('/spec/b', 1)));
    fixture.webhook('mutating', 'a', () => allow(add('/spec/a', 1)));
    const object = await fixture.admission.mutate(fixture.creation());
    assert.deepEqual(object?.spec, { size: 1, a: 1, b: 1 });
    assert.deepEqual(
      fixture.asked.map(({ webhook }) => webhook),
      ['a', 'b'],
    );
    assert.deepEqual(seenBy(fixture, 1).spec, { size: 1, a: 1 });
  });

  test('see a new object without what the server fills in later, which it then keeps', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('mutating', 'a', () => allow(add('/metadata/uid', 'mine')));
    const object = await fixture.admission.mutate(fixture.creation());
    assert.deepEqual(seenBy(fixture, 0).metadata, { name: 'one', namespace: 'a' });
    assert.equal(object?.metadata.uid, 'u1');
    assert.equal(object?.metadata.creationTimestamp, '2030-01-01T00:00:00Z');
  });

  test('that change nothing give back the same object', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('mutating', 'a', () => allow({ op: 'test', path: '/spec/size', value: 1 }));
    const creation = fixture.creation();
    assert.equal(await fixture.admission.mutate(creation), creation.object);
  });

  test('are asked again, once, when a later one changed the object and they wish so', async () => {
    const fixture = new AdmissionFixture();
    const ifNeeded = { reinvocationPolicy: 'IfNeeded' as const };
    fixture.webhook('mutating', 'a', () => allow(), ifNeeded);
    fixture.webhook('mutating', 'b', () => allow());
    fixture.webhook('mutating', 'c', () => allow(add('/spec/c', 1)), ifNeeded);
    await fixture.admission.mutate(fixture.creation());
    assert.deepEqual(
      fixture.asked.map(({ webhook }) => webhook),
      ['a', 'b', 'c', 'a'],
    );
  });

  test('may refuse a deletion, which they cannot change', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('mutating', 'a', () => ({ allowed: false }));
    const { object } = fixture.creation();
    const deletion = fixture.creation({ operation: 'DELETE', object: undefined, oldObject: object });
    assert.equal(
      await refusalOf(fixture.admission.validate(deletion)),
      '400 admission webhook "a" denied the request without explanation',
    );
    assert.equal(fixture.asked[0]?.request.object, null);
  });
});

describe('validating webhooks', () => {
  test('refuse in their own words', async () => {
    const fixture = new AdmissionFixture();
    const status = { code: 418, reason: 'Teapot', message: 'not here', details: { name: 'x' } };
    fixture.webhook('validating', 'a', () => ({ allowed: false, status }));
    await assert.rejects(fixture.admission.validate(fixture.creation()), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(error.status, {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code: 418,
        reason: 'Teapot',
        message: 'admission webhook "a" denied the request: not here',
        details: { name: 'x' },
      });
      return true;
    });
  });

  test('are all asked, and the first in order decides', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('validating', 'b', () => ({ allowed: false, status: { message: 'b' } }));
    fixture.webhook('validating', 'a', () => ({ allowed: false, status: { message: 'a' } }));
    fixture.webhook('validating', 'c', () => ({
      allowed: true,
      warnings: ['mind the gap', 'mind the gap', 'two\nlines'],
    }));
    assert.match(await refusalOf(fixture.admission.validate(fixture.creation())), /denied the request: a$/);
    assert.equal(fixture.asked.length, 3);
    assert.deepEqual(fixture.warnings, ['mind the gap']);
  });

  test('cannot change anything', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('validating', 'a', () => allow(add('/spec/a', 1)));
    assert.match(
      await refusalOf(fixture.admission.validate(fixture.creation())),
      /^500 .*received invalid webhook response: validating webhook may not return response\.patch$/,
    );
  });
});

describe('a webhook that fails', () => {
  test('fails the request unless it may be ignored', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('validating', 'a', unreachable);
    assert.equal(
      await refusalOf(fixture.admission.validate(fixture.creation())),
      '500 Internal error occurred: failed calling webhook "a": failed to call webhook: connection refused',
    );
    fixture.webhook('validating', 'a', unreachable, { failurePolicy: 'Ignore' });
    assert.equal(await refusalOf(fixture.admission.validate(fixture.creation())), 'allowed');
  });

  test('by refusing is not ignored', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('validating', 'a', () => ({ allowed: false }), { failurePolicy: 'Ignore' });
    assert.match(await refusalOf(fixture.admission.validate(fixture.creation())), /^400/);
  });

  test('by a patch that does not fit fails the request', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('mutating', 'a', () => allow({ op: 'remove', path: '/nowhere/at/all' }));
    assert.equal(
      await refusalOf(fixture.admission.mutate(fixture.creation())),
      '500 Internal error occurred: remove operation does not apply: doc is missing path: "/nowhere/at/all": missing value',
    );
  });

  test('to speak the one version of reviews there is counts as one that cannot be reached', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('validating', 'a', () => allow(), { admissionReviewVersions: ['v1beta1'] });
    assert.match(
      await refusalOf(fixture.admission.validate(fixture.creation())),
      /webhook does not accept known AdmissionReview versions \(v1\)$/,
    );
  });

  test('to do without side effects is not asked about a dry run, which is then refused', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('validating', 'a', () => allow(), { sideEffects: 'Unknown' });
    assert.equal(
      await refusalOf(fixture.admission.validate(fixture.creation({ dryRun: true }))),
      '400 admission webhook "a" does not support dry run',
    );
    assert.equal(fixture.asked.length, 0);
    fixture.webhook('validating', 'a', () => allow(), { sideEffects: 'NoneOnDryRun' });
    await fixture.admission.validate(fixture.creation({ dryRun: true }));
    assert.equal(fixture.asked[0]?.request.dryRun, true);
  });
});

describe('whether a webhook is asked', () => {
  async function isAsked(changes: object, attributes: object = {}): Promise<boolean> {
    const fixture = new AdmissionFixture();
    fixture.namespace('b', { team: 'blue' });
    fixture.webhook('validating', 'a', () => allow(), changes);
    await fixture.admission.validate(fixture.creation(attributes));
    return fixture.asked.length > 0;
  }
  const labelled = (labels: Record<string, string>) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'one', namespace: 'a', labels },
  });
  const red = { namespaceSelector: { matchLabels: { team: 'red' } } };
  const marked = { objectSelector: { matchLabels: { marked: 'yes' } } };
  const table: readonly (readonly [string, object, object, boolean])[] = [
    ['in a namespace it selects', red, {}, true],
    ['in another namespace', red, { namespace: 'b' }, false],
    ['about an object it selects', marked, { object: labelled({ marked: 'yes' }) }, true],
    ['about another object', marked, { object: labelled({}) }, false],
    [
      'about an object that was selected before',
      marked,
      { operation: 'UPDATE', object: labelled({}), oldObject: labelled({ marked: 'yes' }) },
      true,
    ],
    ['when its condition holds', { matchConditions: [{ name: 'c', expression: 'object.spec.size == 1' }] }, {}, true],
    [
      'when its condition does not hold',
      { matchConditions: [{ name: 'c', expression: 'object.spec.size == 2' }] },
      {},
      false,
    ],
    [
      'when its condition about the request holds',
      { matchConditions: [{ name: 'c', expression: 'request.userInfo.username == "alice" && oldObject == null' }] },
      {},
      true,
    ],
    [
      'when the authorizer says no to its condition',
      {
        matchConditions: [{ name: 'c', expression: 'authorizer.group("").resource("secrets").check("get").allowed()' }],
      },
      {},
      false,
    ],
    [
      'when its condition fails and it may be ignored',
      { failurePolicy: 'Ignore', matchConditions: [{ name: 'c', expression: 'object.nothing == 1' }] },
      {},
      false,
    ],
  ];
  for (const [what, changes, attributes, verdict] of table) {
    test(`${what}: ${verdict}`, async () => assert.equal(await isAsked(changes, attributes), verdict));
  }

  test('a condition that fails refuses the request when the webhook must be asked', async () => {
    const fixture = new AdmissionFixture();
    const matchConditions = [{ name: 'c', expression: 'object.nothing == 1' }];
    fixture.webhook('validating', 'a', () => allow(), { matchConditions });
    assert.equal(
      await refusalOf(fixture.admission.validate(fixture.creation())),
      `403 widgets.example.com "one" is forbidden: expression 'object.nothing == 1' resulted in error: no such key: nothing`,
    );
  });
});

describe('a webhook for another version of the same objects', () => {
  const rules = [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['widgets'] }];

  test('sees and changes them in its own version', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('mutating', 'a', () => allow({ op: 'replace', path: '/spec/width', value: 7 }), { rules });
    const object = await fixture.admission.mutate(fixture.creation());
    const request = fixture.asked[0]?.request;
    assert.deepEqual(request?.kind, { group: 'example.com', version: 'v2', kind: 'Widget' });
    assert.deepEqual(request?.requestKind, { group: 'example.com', version: 'v1', kind: 'Widget' });
    assert.deepEqual(seenBy(fixture, 0).spec, { width: 1 });
    assert.equal(object?.apiVersion, 'example.com/v1');
    assert.deepEqual(object?.spec, { size: 7 });
    assert.equal(object?.metadata.uid, 'u1');
  });

  test('is not asked when it matches exactly', async () => {
    const fixture = new AdmissionFixture();
    fixture.webhook('mutating', 'a', () => allow(), { rules, matchPolicy: 'Exact' });
    await fixture.admission.mutate(fixture.creation());
    assert.equal(fixture.asked.length, 0);
  });
});

describe('admission is idle', () => {
  test('without webhooks, and for what none of them is about', () => {
    const fixture = new AdmissionFixture();
    assert.equal(fixture.admission.isIdle(fixture.v1, 'CREATE'), true);
    const rules = [{ operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['widgets'] }];
    fixture.webhook('validating', 'a', () => allow(), { rules });
    assert.equal(fixture.admission.isIdle(fixture.v1, 'CREATE'), false, 'v1 is served as v2 too');
    assert.equal(fixture.admission.isIdle(fixture.v1, 'DELETE'), true);
    const other = { ...widgetResource('v1'), resource: 'gadgets', bucket: 'example.com/gadgets' };
    assert.equal(fixture.admission.isIdle(other, 'CREATE'), true);
    const bucket = 'admissionregistration.k8s.io/validatingwebhookconfigurations';
    fixture.store.remove({ bucket, namespace: '', name: 'a' });
    assert.equal(fixture.admission.isIdle(fixture.v1, 'CREATE'), true);
  });

  test('for webhook configurations, so that a bad one can always be removed', () => {
    const fixture = new AdmissionFixture();
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
    fixture.webhook('validating', 'a', () => allow(), { rules });
    const bucket = 'admissionregistration.k8s.io/validatingwebhookconfigurations';
    assert.equal(fixture.admission.isIdle({ ...fixture.v1, bucket }, 'DELETE'), true);
  });
});
