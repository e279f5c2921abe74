import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { couldMatch, matchesRules, type RuleSubject } from './match-rules.ts';
import type { WebhookRule } from './webhook-configuration.ts';

const createPods: WebhookRule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const pod: RuleSubject = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
};

const table: readonly (readonly [string, WebhookRule, Partial<RuleSubject>, boolean])[] = [
  ['what it names', createPods, {}, true],
  ['another operation', createPods, { operation: 'DELETE' }, false],
  ['any operation', { ...createPods, operations: ['*'] }, { operation: 'CONNECT' }, true],
  ['another group', createPods, { group: 'apps' }, false],
  ['any group', { ...createPods, apiGroups: ['*'] }, { group: 'apps' }, true],
  ['another version', createPods, { version: 'v2' }, false],
  ['any version', { ...createPods, apiVersions: ['*'] }, { version: 'v2' }, true],
  ['a subresource of what it names', createPods, { subresource: 'status' }, false],
  ['a subresource it names', { ...createPods, resources: ['pods/status'] }, { subresource: 'status' }, true],
  ['the resource of a subresource it names', { ...createPods, resources: ['pods/status'] }, {}, false],
  ['any subresource', { ...createPods, resources: ['pods/*'] }, { subresource: 'exec' }, true],
  ['the resource itself by any subresource', { ...createPods, resources: ['pods/*'] }, {}, true],
  ['one subresource of anything', { ...createPods, resources: ['*/status'] }, { subresource: 'status' }, true],
  ['any resource', { ...createPods, resources: ['*'] }, { resource: 'nodes' }, true],
  ['a subresource by any resource', { ...createPods, resources: ['*'] }, { subresource: 'status' }, false],
  ['everything', { ...createPods, resources: ['*/*'] }, { resource: 'nodes', subresource: 'status' }, true],
  ['namespaced objects by scope', { ...createPods, scope: 'Namespaced' }, {}, true],
  ['cluster objects by scope Namespaced', { ...createPods, scope: 'Namespaced' }, { namespace: '' }, false],
  ['cluster objects by scope', { ...createPods, scope: 'Cluster' }, { namespace: '' }, true],
  ['namespaced objects by scope Cluster', { ...createPods, scope: 'Cluster' }, {}, false],
  [
    'namespaces as cluster objects',
    { ...createPods, resources: ['*'], scope: 'Cluster' },
    { resource: 'namespaces', namespace: 'a' },
    true,
  ],
  ['anything by scope *', { ...createPods, scope: '*' }, { namespace: '' }, true],
  ['nothing without resources', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'] }, {}, false],
];

describe('a rule of a webhook', () => {
  for (const [what, rule, change, verdict] of table) {
    test(`${verdict ? 'is' : 'is not'} about ${what}`, () => {
      const subject = { ...pod, ...change };
      assert.equal(matchesRules([rule], subject), verdict);
      // The quick answer may only be wrong by saying yes.
      if (verdict) assert.equal(couldMatch([rule], subject), true);
    });
  }

  test('is one of several', () => {
    assert.equal(matchesRules([{ ...createPods, resources: ['nodes'] }, createPods], pod), true);
    assert.equal(matchesRules([], pod), false);
  });

  test('about another resource lets its writes pass without a look', () => {
    assert.equal(couldMatch([createPods], { ...pod, resource: 'nodes' }), false);
    assert.equal(couldMatch([createPods], { ...pod, operation: 'DELETE' }), false);
  });
});
