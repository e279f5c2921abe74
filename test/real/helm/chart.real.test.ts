import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseAllDocuments, stringify } from 'yaml';
import { home, type InstalledObject, objectsOf, readValues } from '../../../src/manifests/index.ts';
import { whyNoRealKube } from '../kube/binaries.ts';
import { realHelm } from './binaries.ts';

const chart = join(import.meta.dirname, '..', '..', '..', 'deploy', 'chart');
const version = '0.1.0';
const skip = whyNoRealKube();

const everything = {
  hosts: {
    ironicUrl: 'https://ironic.example:6385',
    ironicAuthSecret: 'ironic-auth',
    ironicKernel: 'http://images.example/kernel',
    ironicRamdisk: 'http://images.example/ramdisk',
  },
  firmware: { updateServiceUrl: 'https://updates.example:7447', updateServiceCaSecret: 'updates-ca' },
  database: { urlSecret: 'database', credentialKeysSecret: 'credential-keys' },
  imagePullSecrets: [{ name: 'registry' }],
  nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
  tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' }],
};

const { firmware: _, ...others } = everything;
const withUpdateService = {
  ...others,
  firmware: { bmcInsecure: true, allowUnverified: true },
  nats: { urlSecret: 'nats', credsSecret: 'nats-creds', caSecret: 'nats-ca' },
  updateService: {
    ...{ enabled: true, facility: 'ams1', tlsSecret: 'updates-tls', catalogsSecret: 'catalogs' },
    ...{ strategy: 'vendor-cli', strategySettingsSecret: 'templates', launcher: 'kubernetes' },
    jobs: { namespace: 'jobs', templateConfigMap: 'job-template' },
    imageStore: { bucket: 's3://images/x', endpoint: 'https://s3.example', keySecret: 's3', url: 'http://i.example' },
    limits: { updates: 5, queued: 100_000 },
    callers: [{ namespaceSelector: { matchLabels: { team: 'a' } } }],
  },
};

const cases = {
  'the defaults': {},
  'everything, without tenants': everything,
  'limited tenancy': { ...everything, tenancy: { model: 'limited', tenants: ['tenant-a', 'tenant-b'] } },
  'full tenancy': { ...everything, tenancy: { model: 'full', tenants: ['tenant-a', 'tenant-b'] } },
  'the update service, and all that it can be told': withUpdateService,
  'the update service, told little': {
    updateService: { enabled: true, tlsSecret: 'updates-tls', catalogsConfigMap: 'catalogs' },
    database: everything.database,
  },
  'little, with cert-manager': {
    crds: { install: false },
    networkPolicies: { enabled: false },
    network: { enabled: false },
    webhooks: { certificates: 'cert-manager', port: 10_250 },
  },
} as const;

describe('the Helm chart makes what rackwright install makes', { ...(skip === undefined ? {} : { skip }) }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-helm-'));
  let helm: string;
  before(async () => {
    helm = await realHelm();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const template = (values: object, namespace = home) => {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    return spawnSync(
      helm,
      ['template', 'rackwright', chart, '--namespace', namespace, '--values', file, '--kube-version', 'v1.34.4'],
      {
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
        env: { PATH: process.env.PATH, HOME: folder },
      },
    );
  };

  for (const [title, values] of Object.entries(cases)) {
    test(`with ${title}`, () => {
      const { status, stdout, stderr } = template(values);
      assert.equal(status, 0, stderr);
      const made = parseAllDocuments(stdout).flatMap((each) => (each.toJS() as InstalledObject | null) ?? []);
      // Helm makes the namespace by itself.
      const wanted = objectsOf(readValues(values, version)).filter(({ kind }) => kind !== 'Namespace');
      assert.deepEqual(byName(made), byName(wanted));
    });
  }

  test('values that cannot be meant are refused with the same reason', () => {
    assert.match(template({ tenancy: { model: 'full' } }).stderr, /tenancy.tenants is empty/);
    const enabled = { updateService: { enabled: true, tlsSecret: 'updates-tls' } };
    assert.match(template(enabled).stderr, /updateService.enabled goes with database.urlSecret/);
    assert.match(template({ ...everything, ...enabled }).stderr, /name another update service than/);
    assert.match(template({ updateService: { launcher: 'process' } }).stderr, /updateService.launcher/);
    assert.match(template({ colour: 'red' }).stderr, /colour/);
    assert.match(template({}, 'elsewhere').stderr, /install it in the namespace rackwright-system/);
  });
});

function byName(objects: readonly InstalledObject[]): Record<string, InstalledObject> {
  const named = objects.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, each]);
  return Object.fromEntries(named.toSorted(([a = ''], [b = '']) => (String(a) < String(b) ? -1 : 1)));
}
