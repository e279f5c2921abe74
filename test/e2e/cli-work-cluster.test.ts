import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createClient, type KubeClient } from '../../src/kube/index.ts';
import { type CliProcess, runCli, startCli, temporaryFolder } from './cli-fixture.ts';
import { ask, type StartedService, startService } from './work-services.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder.path, name);
const kubeconfig = join(at('cluster'), 'kubeconfig');
const uuid = '5d2b4fb5-60fa-44b4-9a3a-7c5f7f6f64f1';
let cluster: CliProcess;
let client: KubeClient;

before(async () => {
  cluster = startCli(['apiserver', '--data-dir', at('cluster'), '--port', '0']);
  await cluster.until('export KUBECONFIG=');
  client = await createClient({ kubeconfig });
});
after(async () => {
  await client.close();
  await cluster.end('SIGKILL');
  folder.remove();
});

/** Makes a service account with roles and gives a token of it. */
async function tokenWith(name: string, ...roles: readonly string[]): Promise<string> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const post = (path: string, body: object) =>
    client.request<{ status: { token: string } }>({ method: 'POST', path, body });
  await post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  for (const role of roles) {
    await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `${name}-${role}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
  }
  const order = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  return (await post(`${accounts}/${name}/token`, order)).status.token;
}

describe('the install service beside a cluster', () => {
  let up: CliProcess;
  let url = '';
  before(async () => {
    up = startCli(['up', '--kubeconfig', kubeconfig, '--data-dir', at('up'), '--port', '0']);
    await up.until('Ctrl-C stops it');
    url = /REST and RPC +(http:\/\/\S+)/.exec(up.printed.out)?.[1] ?? assert.fail(up.printed.out);
  });

  const statusOf = async (token: string, path: string, body?: object) =>
    (await ask(`${url}${path}`, { token, ...(body === undefined ? {} : { method: 'POST' as const, body }) })).status;

  test('takes tokens of the cluster, and its roles say who may do what', async () => {
    const order = { parameters: {} };
    const inventory = `/api/v1/servers/${uuid}/condition/inventoryOOB`;
    const login = `/api/v1/servers/${uuid}/credentials/bmc`;
    const viewer = await tokenWith('viewer', 'rackwright-rest-viewer');
    assert.equal(await statusOf(viewer, '/api/v1/servers'), 200);
    assert.equal(await statusOf(viewer, '/metrics'), 200);
    assert.equal(await statusOf(viewer, inventory, order), 403);
    const operator = await tokenWith('operator', 'rackwright-rest-operator');
    assert.equal(await statusOf(operator, inventory, order), 404, 'allowed, but there is no such server');
    assert.equal(await statusOf(operator, '/api/v1/servers', { facility_code: 'ams1' }), 403);
    const admin = await tokenWith('admin', 'rackwright-rest-admin');
    assert.equal(await statusOf(admin, '/api/v1/servers', { facility_code: 'ams1' }), 201);
    assert.equal(await statusOf(admin, login), 403);
    const keeper = await tokenWith('keeper', 'rackwright-rest-credentials');
    assert.equal(await statusOf(keeper, login), 404, 'allowed, but there is no such server');
    assert.equal(await statusOf(await tokenWith('nobody'), '/api/v1/servers'), 403);
    assert.equal(await statusOf('wrong', '/api/v1/servers'), 401);
  });

  test('the commands find it by its data directory and need a token of the cluster', async () => {
    const words = ['install-firmware', 'r01-s01', '--set', 'latest', '--data-dir', at('up')];
    const without = await runCli(words);
    assert.equal(without.code, 2);
    assert.match(without.err, /take its tokens, such as "kubectl create token" gives/);
    writeFileSync(at('token'), await tokenWith('somebody', 'rackwright-rest-operator'));
    const { code, err } = await runCli([...words, '--token-file', at('token')]);
    assert.equal(code, 1);
    assert.match(err, /there is no server "r01-s01" in the inventory/);
  });

  test('an engine with another store is refused, whichever command brings it', async () => {
    const words = ['--kubeconfig', kubeconfig, '--data-dir', at('another')];
    for (const command of [
      ['up', '--port', '0'],
      ['conditionorc', '--rest-port', '0'],
      ['serverservice', '--rest-port', '0'],
    ]) {
      const { code, err } = await runCli([...command, ...words]);
      assert.equal(code, 4, err);
      assert.match(err, /belongs to another store of the work engine/);
    }
  });

  test('conditionorc takes over its store when it has stopped, with the same tokens', async () => {
    assert.equal(await up.end('SIGTERM'), 0, up.printed.err);
    const token = await tokenWith('reader', 'rackwright-rest-viewer');
    const words = ['conditionorc', '--kubeconfig', kubeconfig, '--data-dir', at('up')];
    const orc: StartedService = await startService(words, { token });
    const { records } = (await orc.ask('/api/v1/servers')).body as { records: unknown[] };
    assert.equal(records.length, 1);
    assert.equal(await orc.end('SIGTERM'), 0, orc.printed.err);
  });
});
