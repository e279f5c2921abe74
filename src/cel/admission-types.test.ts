import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchConditionVariables } from './admission-types.ts';
import { type AccessQuestion, authorizerValue, resourceCheckValue } from './libraries/authorizer.ts';
import { CostBudget, compileCel } from './program.ts';
import { simpleTypes } from './types.ts';

const request = {
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  name: 'web',
  namespace: 'prod',
  operation: 'UPDATE',
  userInfo: { username: 'alice', groups: ['admins'], extra: { team: ['a', 'b'] } },
};
const object = { metadata: { name: 'web', labels: { tier: 'front' } }, spec: { replicas: 3, ratio: 0.5 } };

function matches(source: string, questions: AccessQuestion[] = []): unknown {
  const compiled = compileCel(source, { variables: matchConditionVariables }, simpleTypes.bool);
  assert.ok('program' in compiled, 'errors' in compiled ? compiled.errors : '');
  const authorize = (question: AccessQuestion): { allowed: boolean; reason: string } => {
    questions.push(question);
    return { allowed: question.verb === 'get' || question.path === '/healthz', reason: 'by the test' };
  };
  const values = {
    object,
    oldObject: null,
    request,
    authorizer: authorizerValue(authorize),
    'authorizer.requestResource': resourceCheckValue(authorize, {
      group: 'apps',
      resource: 'deployments',
      name: 'web',
    }),
  };
  return compiled.program.evaluate(values, new CostBudget());
}

describe('a match condition', () => {
  const table: readonly (readonly [string, boolean])[] = [
    ["request.operation in ['CREATE', 'UPDATE']", true],
    ["request.userInfo.groups.exists(g, g == 'admins')", true],
    ["request.userInfo.extra['team'] == ['a', 'b']", true],
    ["request.resource.resource == 'pods'", false],
    ['!has(request.subResource)', true],
    ['object.spec.replicas == 3 && object.spec.ratio < 1.0', true],
    ["object.metadata.labels['tier'] == 'front'", true],
    ['oldObject == null', true],
    ['has(object.metadata.annotations)', false],
  ];

  for (const [source, verdict] of table) test(`${source} is ${verdict}`, () => assert.equal(matches(source), verdict));

  test('is checked against the fields of a request', () => {
    const compiled = compileCel('request.nope', { variables: matchConditionVariables }, simpleTypes.bool);
    assert.ok('errors' in compiled);
    assert.match(compiled.errors, /undefined field 'nope'/);
  });

  test('can ask the authorizer about a resource', () => {
    const questions: AccessQuestion[] = [];
    const source =
      "authorizer.group('apps').resource('deployments').namespace('prod').name('web').check('get').allowed()";
    assert.equal(matches(source, questions), true);
    assert.deepEqual(questions, [
      { verb: 'get', group: 'apps', resource: 'deployments', subresource: '', namespace: 'prod', name: 'web' },
    ]);
  });

  test('can ask about a path, as a service account, and about the resource of the request', () => {
    const questions: AccessQuestion[] = [];
    assert.equal(matches("authorizer.path('/healthz').check('post').allowed()", questions), true);
    assert.equal(
      matches("authorizer.serviceAccount('ns', 'sa').path('/x').check('post').reason() == 'by the test'", questions),
      true,
    );
    assert.equal(matches("authorizer.requestResource.check('delete').allowed()", questions), false);
    assert.deepEqual(questions, [
      { verb: 'post', path: '/healthz' },
      { verb: 'post', path: '/x', serviceAccount: { namespace: 'ns', name: 'sa' } },
      { verb: 'delete', group: 'apps', resource: 'deployments', name: 'web' },
    ]);
  });

  test('can afford two questions and no more', () => {
    const ask = "authorizer.path('/healthz').check('get').allowed()";
    assert.equal(matches(`${ask} && ${ask}`), true);
    assert.throws(() => matches(`${ask} && ${ask} && ${ask}`), /actual cost limit exceeded/);
  });
});
