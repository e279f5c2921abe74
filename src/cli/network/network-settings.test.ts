import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../settings.ts';
import { ansibleOf, networkSettingNames } from './network-settings.ts';

test('where Ansible is can be told, and is the python3 of the PATH otherwise', () => {
  const read = (flags: Record<string, string>, env: Record<string, string> = {}) =>
    ansibleOf(readSettings(networkSettingNames, flags, { env, cwd: '/here' }));
  assert.deepEqual(read({}), { python: 'python3', roles: undefined });
  assert.deepEqual(
    read({ ansiblePython: 'venv/bin/python', ansibleRoles: '/roles' }, { RACKWRIGHT_ANSIBLE_COLLECTIONS: '/more' }),
    { python: '/here/venv/bin/python', roles: '/roles', collections: ['/more'] },
  );
});
