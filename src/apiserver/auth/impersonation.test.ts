import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import type { UserInfo } from '../resource.ts';
import { ApiError } from '../status.ts';
import { impersonate, PlainTextError } from './impersonation.ts';
import { RbacFixture, user } from './rbac/rbac-fixture.ts';

const root = user('root', 'system:masters');

function request(...pairs: [string, string][]): IncomingMessage {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return { url: '/version?a=b', headers, rawHeaders: pairs.flat() } as unknown as IncomingMessage;
}

function actingAs(...pairs: [string, string][]): UserInfo | undefined {
  return impersonate(request(...pairs), root, new RbacFixture().authorizer);
}

describe('whom a caller acts as', () => {
  const table: readonly (readonly [string, [string, string][], UserInfo | undefined])[] = [
    ['nobody else without headers', [['Accept', '*/*']], undefined],
    ['a user', [['Impersonate-User', 'bob']], { username: 'bob', groups: ['system:authenticated'] }],
    [
      'a user in groups whose names may hold commas',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Group', 'a,b'],
        ['Impersonate-Group', 'c'],
      ],
      { username: 'bob', groups: ['a,b', 'c', 'system:authenticated'] },
    ],
    [
      'a service account, with the groups it has',
      [['Impersonate-User', 'system:serviceaccount:n:robot']],
      {
        username: 'system:serviceaccount:n:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
      },
    ],
    [
      'a service account with other groups',
      [
        ['Impersonate-User', 'system:serviceaccount:n:robot'],
        ['Impersonate-Group', 'g'],
      ],
      { username: 'system:serviceaccount:n:robot', groups: ['g', 'system:authenticated'] },
    ],
    [
      'nobody',
      [['Impersonate-User', 'system:anonymous']],
      { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    ],
    [
      'a user with uid and extras, whose keys are escaped',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Uid', '7'],
        ['Impersonate-Extra-acme.com%2Fproject', 'p'],
        ['Impersonate-Extra-Scopes', 'a'],
        ['Impersonate-Extra-Scopes', 'b'],
      ],
      {
        username: 'bob',
        uid: '7',
        groups: ['system:authenticated'],
        extra: { 'acme.com/project': ['p'], scopes: ['a', 'b'] },
      },
    ],
  ];
  for (const [what, pairs, expected] of table) test(`is ${what}`, () => assert.deepEqual(actingAs(...pairs), expected));
});

describe('impersonation', () => {
  test('of groups without a user is an error of the request', () => {
    assert.throws(
      () => actingAs(['Impersonate-Group', 'system:masters']),
      (error) => {
        assert.ok(error instanceof PlainTextError);
        assert.equal(error.code, 500);
        assert.equal(
          error.message,
          'Internal Server Error: "/version?a=b": requested [{Group  system:masters    }] without impersonating a user\n',
        );
        return true;
      },
    );
  });

  const impostor = user('impostor');
  const only: RbacFixture = new RbacFixture();
  only.role('bob', [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['bob'] }]);
  only.bind('bob', { kind: 'ClusterRole', name: 'bob' }, [{ kind: 'User', name: 'impostor' }]);

  test('needs the right to act as each part', () => {
    assert.equal(impersonate(request(['Impersonate-User', 'bob']), impostor, only.authorizer)?.username, 'bob');
  });

  const refused: readonly (readonly [[string, string][], string])[] = [
    [
      [['Impersonate-User', 'eve']],
      'users "eve" is forbidden: User "impostor" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
    [
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Group', 'system:masters'],
      ],
      'groups "system:masters" is forbidden: User "impostor" cannot impersonate resource "groups" in API group "" at the cluster scope',
    ],
    [
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Extra-scopes', 'all'],
      ],
      'userextras.authentication.k8s.io "all" is forbidden: User "impostor" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [
      [['Impersonate-User', 'system:serviceaccount:n:robot']],
      'serviceaccounts "robot" is forbidden: User "impostor" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "n"',
    ],
  ];
  for (const [pairs, message] of refused) {
    test(`is refused: ${message.split(' is ')[0]}`, () => {
      assert.throws(
        () => impersonate(request(...pairs), impostor, only.authorizer),
        (error) => error instanceof ApiError && error.code === 403 && error.message === message,
      );
    });
  }
});
