import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import { parseAllDocuments } from 'yaml';
import { allowed, defineAdmissionRule, denied, inProcessAdmission } from '../../kube/index.ts';
import { isJsonObject, type JsonObject } from '../../schema/index.ts';
import { type ApiServer, startApiServer } from '../start.ts';

const roles = '/apis/rbac.authorization.k8s.io/v1';
const deployedRoles = new URL('../../../deploy/rbac/', import.meta.url);

const noForbiddenMaps = defineAdmissionRule({
  name: 'maps.rackwright.io',
  type: 'validating',
  matches: [{ groups: [''], versions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
  read: () => undefined,
  admit: ({ object }) => (object?.metadata?.name === 'forbidden' ? denied('not this one') : allowed()),
});

interface Caller {
  readonly token?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
  readonly as?: string;
}

describe('a running server', { timeout: 120_000 }, () => {
  let dataDir: string;
  let server: ApiServer;
  const faults: unknown[] = [];

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'access-'));
    const admission = inProcessAdmission([noForbiddenMaps]).hooks;
    server = await startApiServer({ dataDir, port: 0, admission, onFault: (error) => faults.push(error) });
  });

  after(async () => {
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  });

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { body, caller = { token: server.adminToken } }: { body?: object; caller?: Caller } = {},
  ): Promise<{ code: number; body: JsonObject; text: string }> {
    const { token, certPem, keyPem, as } = caller;
    const tls = certPem === undefined ? {} : { cert: certPem, key: keyPem };
    const dispatcher = new Agent({ connect: { ca: server.caPem, ...tls } });
    try {
      const answer = await request(`${server.url}${path}`, {
        method,
        dispatcher,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(as === undefined ? {} : { 'impersonate-user': as }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      const json = text.startsWith('{') ? JSON.parse(text) : {};
      return { code: answer.statusCode, body: json, text };
    } finally {
      await dispatcher.close();
    }
  }

  async function whoIs(caller: Caller): Promise<JsonObject> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const answer = await call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body, caller });
    assert.equal(answer.code, 201, answer.text);
    const { userInfo } = answer.body.status as JsonObject;
    assert.ok(isJsonObject(userInfo));
    return userInfo;
  }

  async function isAllowed(user: string, attributes: object): Promise<boolean> {
    const spec = { user, groups: ['system:authenticated'], resourceAttributes: attributes };
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const answer = await call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body });
    return (answer.body.status as JsonObject).allowed === true;
  }

  test('knows its administrator, certificates it issued and operators in the tokens file (security.md: admin-token)', async () => {
    assert.equal((await whoIs({ token: server.adminToken })).username, 'admin');
    const pair = await server.issueClientCertificate({ commonName: 'carol', groups: ['net'] });
    assert.deepEqual(await whoIs(pair), { username: 'carol', groups: ['net', 'system:authenticated'] });
    writeFileSync(join(dataDir, 'tokens.csv'), 'olga-token,olga,o1,"ops"\n', { mode: 0o600 });
    // The file is looked at once a second.
    for (;;) {
      const answer = await call('GET', '/version', { caller: { token: 'olga-token' } });
      if (answer.code === 200) break;
      assert.equal(answer.code, 401);
    }
    assert.deepEqual(await whoIs({ token: 'olga-token' }), {
      username: 'olga',
      uid: 'o1',
      groups: ['ops', 'system:authenticated'],
    });
  });

  test('gives service accounts tokens that end with them (security.md: service-account-tokens)', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    assert.equal((await call('POST', accounts, { body: account })).code, 201);
    const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const made = await call('POST', `${accounts}/robot/token`, { body: wish });
    const token = String((made.body.status as JsonObject).token);
    assert.equal((await whoIs({ token })).username, 'system:serviceaccount:default:robot');
    assert.equal((await call('GET', '/api/v1/nodes', { caller: { token } })).code, 403);
    await call('DELETE', `${accounts}/robot`);
    assert.equal((await call('GET', '/version', { caller: { token } })).code, 401);
  });

  test('publishes the keys of its tokens to service accounts, and not to everybody', async () => {
    assert.equal((await call('GET', '/openid/v1/jwks', { caller: {} })).code, 403);
    const configuration = await call('GET', '/.well-known/openid-configuration');
    assert.equal(configuration.body.jwks_uri, `${server.url}/openid/v1/jwks`);
    const keys = (await call('GET', '/openid/v1/jwks')).body.keys;
    assert.ok(Array.isArray(keys) && keys.length === 1);
  });

  test('shows viewers our kinds but neither Secrets nor BMCSecrets (security.md: role-viewer)', async () => {
    for (const file of readdirSync(deployedRoles)) {
      for (const document of parseAllDocuments(readFileSync(new URL(file, deployedRoles), 'utf8'))) {
        const role = document.toJS() as { kind: string };
        const answer = await call('POST', `${roles}/${role.kind.toLowerCase()}s`, { body: role });
        assert.equal(answer.code, 201, answer.text);
      }
    }
    for (const name of ['view', 'edit', 'admin']) {
      const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `${name}er` }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
      const body = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef,
        subjects,
      };
      assert.equal((await call('POST', `${roles}/clusterrolebindings`, { body })).code, 201);
    }
    const ours = { group: 'metal.ironcore.dev', verb: 'get' };
    // The aggregation follows the roles, so wait for what it must bring before looking at what it must not.
    while (!(await isAllowed('viewer', { ...ours, resource: 'servers' })));
    while (!(await isAllowed('adminer', { ...ours, resource: 'servers' })));
    for (const who of ['viewer', 'editer', 'adminer']) {
      for (const verb of ['get', 'list', 'watch', 'update', 'delete']) {
        assert.equal(await isAllowed(who, { ...ours, resource: 'bmcsecrets', verb }), false, `${who} ${verb}`);
      }
    }
    assert.equal(
      await isAllowed('viewer', { group: '', resource: 'secrets', verb: 'get', namespace: 'default' }),
      false,
    );
    assert.equal(await isAllowed('viewer', { group: '', resource: 'configmaps', verb: 'get' }), true);
  });

  test('asks rules of its own process', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const refused = await call('POST', path, { body: map('forbidden') });
    assert.equal(refused.code, 403);
    assert.equal(refused.body.message, 'admission webhook "maps.rackwright.io" denied the request: not this one');
    assert.equal((await call('POST', path, { body: map('fine') })).code, 201);
  });

  test('keeps its first namespaces furnished', async () => {
    const map = '/api/v1/namespaces/kube-public/configmaps/kube-root-ca.crt';
    while ((await call('GET', map)).code !== 200);
    assert.equal(((await call('GET', map)).body.data as JsonObject)['ca.crt'], server.caPem);
    while ((await call('GET', '/api/v1/namespaces/kube-public/serviceaccounts/default')).code !== 200);
  });

  test('writes down who wrote what, and no secret', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pin' }, stringData: { pin: 'hunter2' } };
    assert.equal((await call('POST', secrets, { body })).code, 201);
    await call('POST', secrets, { body, caller: { token: server.adminToken, as: 'mallory' } });
    await call('POST', secrets, { body, caller: { token: 'stolen-token' } });
    await call('DELETE', `${secrets}/pin`);
    const path = join(dataDir, 'audit.log');
    let text = '';
    // The log is written beside the answers.
    while (!text.includes('"verb":"delete","group":"","version":"v1","resource":"secrets"')) {
      text = await readFile(path, 'utf8');
    }
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    const seen = lines
      .filter(({ resource }) => resource === 'secrets')
      .map(({ user, impersonatedUser, verb, name, code, verdict }) => ({
        user,
        impersonatedUser,
        verb,
        name,
        code,
        verdict,
      }));
    const mallory = { username: 'mallory', groups: ['system:authenticated'] };
    assert.deepEqual(seen, [
      { user: 'admin', impersonatedUser: undefined, verb: 'create', name: 'pin', code: 201, verdict: 'done' },
      { user: 'admin', impersonatedUser: mallory, verb: 'create', name: undefined, code: 403, verdict: 'refused' },
      { user: '', impersonatedUser: undefined, verb: 'create', name: undefined, code: 401, verdict: 'refused' },
      { user: 'admin', impersonatedUser: undefined, verb: 'delete', name: 'pin', code: 200, verdict: 'done' },
    ]);
    for (const secret of ['hunter2', Buffer.from('hunter2').toString('base64'), 'stolen-token', server.adminToken]) {
      assert.ok(!text.includes(secret), `the audit log holds ${secret}`);
    }
  });
});
