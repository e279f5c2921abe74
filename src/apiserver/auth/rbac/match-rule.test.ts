import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccessQuery } from '../auth.ts';
import { compileRule } from './match-rule.ts';
import { ask, user } from './rbac-fixture.ts';
import type { PolicyRule } from './rbac-objects.ts';

const me = user('me');
const pods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const anything: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

const table: readonly (readonly [string, PolicyRule, Partial<AccessQuery>, boolean])[] = [
  ['a verb that is listed', pods, { verb: 'list' }, true],
  ['a verb that is not listed', pods, { verb: 'delete' }, false],
  ['another resource', pods, { resource: 'secrets' }, false],
  ['the same resource of another group', pods, { group: 'metrics.k8s.io' }, false],
  ['a subresource of a listed resource', pods, { subresource: 'log' }, false],
  ['a subresource that is listed', { ...pods, resources: ['pods/log'] }, { subresource: 'log' }, true],
  ['the resource of a listed subresource', { ...pods, resources: ['pods/log'] }, {}, false],
  ['any resource with a listed subresource', { ...pods, resources: ['*/scale'] }, { subresource: 'scale' }, true],
  ['no subresource where only subresources are listed', { ...pods, resources: ['*/scale'] }, {}, false],
  ['everything', anything, { verb: 'x', group: 'y', resource: 'z', subresource: 'w', name: 'n' }, true],
  ['a path by a rule for resources', anything, { isResource: false, path: '/metrics' }, false],
  ['a name that is listed', { ...pods, resourceNames: ['a', 'b'] }, { name: 'b' }, true],
  ['a name that is not listed', { ...pods, resourceNames: ['a'] }, { name: 'c' }, false],
  ['a list, where only names are listed', { ...pods, resourceNames: ['a'] }, { verb: 'list' }, false],
  ['no group listed', { verbs: ['get'], resources: ['pods'] }, {}, false],
  ['no verb listed', { ...pods, verbs: [] }, {}, false],
  ['a path', { verbs: ['get'], nonResourceURLs: ['/version'] }, { isResource: false, path: '/version' }, true],
  ['a path below', { verbs: ['get'], nonResourceURLs: ['/version'] }, { isResource: false, path: '/version/x' }, false],
  ['a path by prefix', { verbs: ['get'], nonResourceURLs: ['/api/*'] }, { isResource: false, path: '/api/v1' }, true],
  ['the prefix itself', { verbs: ['get'], nonResourceURLs: ['/api/*'] }, { isResource: false, path: '/api' }, false],
  ['any path', { verbs: ['get'], nonResourceURLs: ['*'] }, { isResource: false, path: '/x' }, true],
  [
    'a path with another verb',
    { verbs: ['get'], nonResourceURLs: ['*'] },
    { isResource: false, path: '/x', verb: 'post' },
    false,
  ],
];

describe('a rule', () => {
  for (const [what, rule, query, verdict] of table) {
    test(`${verdict ? 'grants' : 'does not grant'} ${what}`, () => {
      assert.equal(compileRule(rule)(ask(me, query)), verdict);
    });
  }
});
