import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AdmissionRule,
  allowed,
  defineAdmissionRule,
  denied,
  inProcessAdmission,
  patched,
} from '../../kube/index.ts';
import { ApiError } from '../status.ts';
import { AdmissionFixture } from './admission-fixture.ts';
import { InProcessAdmissionChain } from './in-process-admission.ts';

function rule(changes: Partial<AdmissionRule>): AdmissionRule {
  return defineAdmissionRule({
    name: 'size.widgets.example.com',
    type: 'validating',
    matches: [{ groups: ['example.com'], versions: ['*'], resources: ['widgets'], operations: ['CREATE'] }],
    read: () => undefined,
    admit: () => allowed(),
    ...changes,
  });
}

function chain(...rules: AdmissionRule[]): InProcessAdmissionChain {
  return new InProcessAdmissionChain(inProcessAdmission(rules).hooks);
}

describe('admission by rules of this process', () => {
  const fixture = new AdmissionFixture();

  test('is idle for what no rule is about', () => {
    assert.equal(chain().isIdle(fixture.v1, 'CREATE'), true);
    assert.equal(chain(rule({})).isIdle(fixture.v1, 'CREATE'), false);
    assert.equal(chain(rule({})).isIdle(fixture.v1, 'DELETE'), true);
    assert.equal(chain(rule({})).isIdle({ ...fixture.v1, resource: 'gadgets' }, 'CREATE'), true);
  });

  test('is not idle for a rule about a subresource', () => {
    const matches = [
      { groups: ['*'], versions: ['*'], resources: ['widgets/status'], operations: ['UPDATE' as const] },
    ];
    assert.equal(chain(rule({ matches })).isIdle(fixture.v1, 'UPDATE'), false);
  });

  test('refuses as a webhook of that name would', async () => {
    const admit = () => denied({ message: 'too small', field: 'spec.size' });
    await assert.rejects(chain(rule({ admit })).validate(fixture.creation()), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 403);
      assert.equal(
        error.message,
        'admission webhook "size.widgets.example.com" denied the request: spec.size: too small',
      );
      return true;
    });
  });

  test('changes the object and keeps what the server filled in', async () => {
    const admit: AdmissionRule['admit'] = ({ object }) =>
      patched(object ?? {}, { ...object, spec: { ...(object?.spec as object), touched: true } }, 'touched it');
    const creation = fixture.creation();
    const object = await chain(rule({ type: 'mutating', admit })).mutate(creation);
    assert.deepEqual(object?.spec, { size: 1, touched: true });
    assert.equal(object?.metadata.uid, 'u1');
    assert.deepEqual(creation.object?.spec, { size: 1 });
    assert.deepEqual(fixture.warnings, ['touched it']);
  });

  test('cannot be tricked by a rule that changes what it is given', async () => {
    const admit: AdmissionRule['admit'] = ({ object }) => {
      if (object !== undefined && object !== null) object.spec = {};
      return allowed();
    };
    const creation = fixture.creation();
    await chain(rule({ admit })).validate(creation);
    assert.deepEqual(creation.object?.spec, { size: 1 });
  });

  test('refuses when a rule cannot read what it needs, unless it may be ignored', async () => {
    const read = () => Promise.reject(new Error('the cache is not there yet'));
    await assert.rejects(chain(rule({ read })).validate(fixture.creation()), /the cache is not there yet/);
    await chain(rule({ read, failurePolicy: 'Ignore' })).validate(fixture.creation());
  });
});
