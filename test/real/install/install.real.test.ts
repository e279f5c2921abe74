import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type AnyKubeObject, createClient, type KubeClient } from '../../../src/kube/index.ts';
import { runCli } from '../../e2e/cli-fixture.ts';
import { freePortRange } from '../free-ports.ts';
import { whyNoRealKube } from '../kube/binaries.ts';
import { type RealKube, startRealKube } from '../kube/real-kube.ts';

const skip = whyNoRealKube();
const everything = [
  'hosts.ironicUrl=http://ironic.example:6385',
  'firmware.updateServiceUrl=https://updates.example:7447',
];
const withUpdateService = [
  ...['updateService.enabled=true', 'updateService.tlsSecret=updates-tls', 'updateService.launcher=kubernetes'],
  ...['database.urlSecret=database', 'database.credentialKeysSecret=credential-keys', 'nats.urlSecret=nats'],
  ...['updateService.imageStore.bucket=s3://images', 'updateService.imageStore.endpoint=https://s3.example'],
  ...['updateService.imageStore.keySecret=s3', 'updateService.imageStore.url=http://images.example'],
  ...['updateService.catalogsConfigMap=catalogs', 'updateService.jobs.namespace=tenant-a'],
];
const models = {
  none: [],
  limited: ['tenancy.model=limited', 'tenancy.tenants={tenant-a,tenant-b}'],
  full: ['tenancy.model=full', 'tenancy.tenants={tenant-a,tenant-b}'],
} as const;

describe('rackwright install on a real kube-apiserver', { ...(skip === undefined ? {} : { skip }) }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-install-'));
  let kube: RealKube;
  let client: KubeClient;
  before(async () => {
    // Nothing is to run here: that objects are taken is what counts.
    const where = { dataDir: join(folder, 'kube'), port: await freePortRange(4), withoutControllers: true };
    kube = await startRealKube(where);
    client = await createClient({ kubeconfig: kube.kubeconfigPath });
    const namespaces = { group: '', version: 'v1', resource: 'namespaces', namespaced: false, kind: 'Namespace' };
    for (const name of ['tenant-a', 'tenant-b']) {
      await client.resource<AnyKubeObject>(namespaces).create({ metadata: { name } });
    }
  });
  after(async () => {
    await client?.close();
    await kube?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const install = (words: readonly string[], values: readonly string[] = []) =>
    runCli([
      ...['install', '--kubeconfig', kube.kubeconfigPath, ...words],
      ...values.flatMap((value) => ['--set', value]),
    ]);
  const roles = {
    ...{ group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' },
    ...{ namespaced: false, kind: 'ClusterRole' },
  };

  for (const [model, values] of Object.entries(models)) {
    test(`the server takes every object with tenancy ${model}, and a dry run changes nothing`, async () => {
      const { code, out, err } = await install(['--dry-run=server'], [...everything, ...values]);
      assert.equal(code, 0, err);
      const lines = out.trimEnd().split('\n');
      assert.ok(lines.length > 140, `${lines.length} objects`);
      assert.deepEqual(
        lines.filter((line) => !line.endsWith('is accepted (server dry run)')),
        [],
      );
      const { items } = await client.resource<AnyKubeObject>(roles).list();
      assert.deepEqual(
        items.filter(({ metadata }) => metadata?.name?.startsWith('rackwright')),
        [],
      );
    });
  }

  test('the server takes the update service with all that it can be told', async () => {
    const { code, out, err } = await install(['--dry-run=server'], withUpdateService);
    assert.equal(code, 0, err);
    const own = out.split('\n').filter((line) => line.includes('rackwright-update-service'));
    assert.deepEqual(
      own.filter((line) => !line.endsWith('is accepted (server dry run)')),
      [],
    );
    assert.ok(own.some((line) => line.includes('deployment/rackwright-system/rackwright-update-service')));
  });

  test('the plain manifests that are printed are taken by kubectl too', async () => {
    const values = join(folder, 'values.yaml');
    writeFileSync(values, 'hosts: { ironicUrl: "http://ironic.example:6385" }\nreplicas: 3\n');
    const { code, out } = await install(['--dry-run', '--values', values]);
    assert.equal(code, 0);
    assert.match(out, /replicas: 3/);
    const { spawnSync } = await import('node:child_process');
    const words = ['--kubeconfig', kube.kubeconfigPath, 'apply', '--server-side', '-f', '-'];
    const applied = spawnSync(kube.kubectl, words, { input: out, encoding: 'utf8' });
    assert.equal(applied.status, 0, applied.stderr);
  });

  test('installing again changes nothing, and with other values only what they say', async () => {
    const first = await install([], everything);
    assert.equal(first.code, 0, first.err);
    const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespaced: true, kind: 'Deployment' };
    const read = async () => (await client.resource<AnyKubeObject>(deployments).list()).items;
    const before = await read();
    assert.equal(before.length, 5);
    assert.equal((await install([], everything)).code, 0);
    const versions = (all: readonly AnyKubeObject[]) => all.map(({ metadata }) => metadata?.resourceVersion);
    assert.deepEqual(versions(await read()), versions(before));
    assert.equal((await install([], [...everything, 'image.tag=next'])).code, 0);
    for (const each of await read()) assert.match(JSON.stringify(each.spec), /"rackwright:next"/);
  });

  test('what the server refuses is told with its reason, and ends with a failure', async () => {
    const { code, err } = await install(['--dry-run=server'], ['tenancy.model=full', 'tenancy.tenants={nobody}']);
    assert.equal(code, 1);
    assert.match(err, /serviceaccount\/nobody\/rackwright-network: .*"nobody" not found/);
  });
});
