import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { jobLabels } from '../api/index.ts';
import { type InstalledObject, mergeValues, objectsOf, readValues } from './index.ts';
import { faultOf } from './testing/values-fault.ts';
import { updateServiceUrl } from './update-service.ts';

const version = '1.2.3';
const home = 'rackwright-system';
const least = {
  updateService: { enabled: true, tlsSecret: 'updates-tls' },
  database: { urlSecret: 'database', credentialKeysSecret: 'credential-keys' },
};
const inCluster = { updateService: { launcher: 'kubernetes' } };

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly readinessProbe: { readonly httpGet: { readonly port: string } };
}

type Items = readonly { readonly key: string }[];

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly items: Items };
  readonly configMap?: { readonly items: Items };
}

interface Pod {
  readonly containers: readonly [Container];
  readonly volumes: readonly Volume[];
}

function installed(more: object = {}) {
  const objects = objectsOf(readValues(mergeValues(least, more), version));
  const find = (kind: string, name: string): InstalledObject | undefined =>
    objects.find((each) => each.kind === kind && each.metadata.name === name);
  const podOf = (name: string): Pod => {
    const { spec } = find('Deployment', name) ?? assert.fail(`${name} is not installed`);
    return (spec as { template: { spec: Pod } }).template.spec;
  };
  const settingsOf = (name: string) =>
    Object.fromEntries(podOf(name).containers[0].env.map((each) => [each.name, each.value]));
  const portsOf = (name: string) => {
    const { spec } = find('Service', name) ?? assert.fail(`${name} has no Service`);
    return (spec as { ports: { name: string; port: number }[] }).ports;
  };
  return { objects, find, podOf, settingsOf, portsOf };
}

describe('the update service of an installation', () => {
  test('is there only where it is asked for, with all that a component has', () => {
    const name = 'rackwright-update-service';
    const kinds = (objects: readonly InstalledObject[]) =>
      objects.filter(({ metadata }) => metadata.name === name).map(({ kind }) => kind);
    assert.deepEqual(kinds(objectsOf(readValues({}, version))), []);
    assert.deepEqual(kinds(installed().objects).toSorted(), [
      ...['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'],
    ]);
  });

  test('is what the firmware controllers ask, in the facility that it works on, and they see no key of its certificate', () => {
    const { podOf, settingsOf } = installed({ updateService: { facility: 'ams1' } });
    const { RACKWRIGHT_UPDATE_SERVICE_URL: url, RACKWRIGHT_FACILITY: facility } = settingsOf('rackwright-firmware');
    assert.deepEqual([url, facility], [updateServiceUrl, 'ams1']);
    assert.equal(settingsOf('rackwright-update-service').RACKWRIGHT_FACILITY, 'ams1');
    const { secret } = podOf('rackwright-firmware').volumes.find(({ name }) => name === 'update-service-ca') ?? {};
    assert.equal(secret?.secretName, 'updates-tls');
    assert.deepEqual(
      secret?.items.map(({ key }) => key),
      ['ca.crt'],
    );
  });

  test('takes calls where its Service, its probes and its address say', () => {
    const { podOf, settingsOf, portsOf } = installed();
    const ports = portsOf('rackwright-update-service');
    const [container] = podOf('rackwright-update-service').containers;
    const { port, hostname } = new URL(updateServiceUrl);
    assert.equal(hostname, `rackwright-update-service.${home}.svc`);
    assert.deepEqual(
      [ports.map((each) => String(each.port)), container.ports.map((each) => String(each.containerPort))],
      [[port], [port]],
    );
    assert.equal(settingsOf('rackwright-update-service').RACKWRIGHT_REST_PORT, port);
    assert.equal(container.readinessProbe.httpGet.port, container.ports[0]?.name);
  });

  test('every file that it is told of is one that is mounted', () => {
    const everything = {
      nats: { urlSecret: 'nats', credsSecret: 'nats-creds', caSecret: 'nats-ca' },
      firmware: { bmcCaSecret: 'bmc-ca' },
      updateService: {
        ...{ launcher: 'kubernetes', catalogsSecret: 'catalogs', strategySettingsSecret: 'strategy' },
        jobs: { templateConfigMap: 'job-template' },
        imageStore: {
          bucket: 's3://images',
          endpoint: 'https://s3.example',
          keySecret: 'key',
          url: 'http://i.example',
        },
      },
    };
    const { podOf, settingsOf } = installed(everything);
    for (const name of ['rackwright-update-service', 'rackwright-firmware']) {
      const { containers, volumes } = podOf(name);
      const files = containers[0].volumeMounts.flatMap(({ name: volume, mountPath }) => {
        const { secret, configMap } = volumes.find((each) => each.name === volume) ?? assert.fail(volume);
        return (secret?.items ?? configMap?.items ?? []).map(({ key }) => `${mountPath}/${key}`);
      });
      const told = Object.values(settingsOf(name)).filter((value) => value.startsWith('/etc/rackwright/'));
      assert.ok(told.length > 5, name);
      assert.deepEqual(
        told.filter((file) => !files.includes(file)),
        [],
        name,
      );
    }
  });

  test('no password is among its arguments or its settings', () => {
    const { podOf, settingsOf } = installed({ updateService: { catalogsSecret: 'catalogs' } });
    assert.deepEqual(podOf('rackwright-update-service').containers[0].args, ['update-service']);
    const settings = settingsOf('rackwright-update-service');
    assert.equal(settings.RACKWRIGHT_CATALOG_FILE, '/etc/rackwright/catalogs/catalogs.yaml');
    assert.equal('RACKWRIGHT_DATABASE_URL' in settings, false);
  });

  test('Jobs run the image of the chart unless another is named, and only then it has the documented rights for them', () => {
    const role = 'rackwright-update-service-component-jobs';
    assert.equal(installed().find('ClusterRole', role), undefined);
    const { find, settingsOf } = installed(inCluster);
    assert.equal(settingsOf('rackwright-update-service').RACKWRIGHT_JOB_IMAGE, `rackwright:${version}`);
    const own = installed(mergeValues(inCluster, { updateService: { jobs: { image: 'jobs:1' } } }) as object);
    assert.equal(own.settingsOf('rackwright-update-service').RACKWRIGHT_JOB_IMAGE, 'jobs:1');
    assert.equal(find('RoleBinding', role)?.metadata.namespace, 'rackwright-jobs');
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'strategies.md'), 'utf8');
    const shown = /^```yaml\n(kind: Role\n.*?)^```$/ms.exec(page)?.[1] ?? assert.fail('the page shows no Role');
    assert.deepEqual(find('ClusterRole', role)?.rules, (parse(shown) as { rules: unknown }).rules);
  });

  test('takes calls from firmware controllers, from Jobs where there are any, and from whom values name', () => {
    const callersOf = (more: object) => {
      const { spec } = installed(more).find('NetworkPolicy', 'rackwright-update-service') ?? assert.fail();
      return JSON.stringify((spec as { ingress: unknown }).ingress);
    };
    assert.match(callersOf({}), /"app.kubernetes.io\/component":"firmware"/);
    assert.equal(callersOf({}).includes(JSON.stringify(jobLabels)), false);
    assert.ok(callersOf(inCluster).includes(JSON.stringify(jobLabels)));
    const peer = { namespaceSelector: { matchLabels: { team: 'a' } } };
    assert.ok(callersOf({ updateService: { callers: [peer] } }).includes(JSON.stringify([peer])));
  });

  test('serves images, and may tell which are needed, only where there is a store', () => {
    const imageStore = {
      bucket: 's3://b-1/x',
      endpoint: 'https://s3.example',
      keySecret: 'k',
      url: 'http://i.example',
    };
    const names = ({ portsOf }: ReturnType<typeof installed>) =>
      portsOf('rackwright-update-service').map(({ name }) => name);
    const role = 'rackwright-update-service-component-images';
    const [without, withStore] = [installed(), installed({ updateService: { imageStore } })];
    assert.deepEqual([names(without), without.find('ClusterRole', role)], [['calls'], undefined]);
    assert.deepEqual(names(withStore), ['calls', 'images']);
    assert.notEqual(withStore.find('ClusterRole', role), undefined);
  });

  const changed = (more: object) => mergeValues(least, more) as object;
  const refused: Readonly<Record<string, readonly [given: object, RegExp]>> = {
    'no database': [{ updateService: least.updateService }, /^updateService.enabled goes with database.urlSecret/],
    'no certificate': [changed({ updateService: { tlsSecret: '' } }), /goes with updateService.tlsSecret/],
    'no keys of credentials': [
      changed({ database: { credentialKeysSecret: '' } }),
      /^database.urlSecret goes with database.credentialKeysSecret/,
    ],
    'another update service': [
      changed({ firmware: { updateServiceUrl: 'https://updates.example' } }),
      /^firmware.updateServiceUrl and .* name another update service/,
    ],
    'catalogues twice': [
      changed({ updateService: { catalogsSecret: 'a', catalogsConfigMap: 'b' } }),
      /catalogsSecret and updateService.catalogsConfigMap say the same/,
    ],
    'boot images': [changed({ updateService: { strategy: 'boot-image' } }), /boot-image is not for pods/],
    'command lines without templates': [
      changed({ updateService: { strategy: 'vendor-cli' } }),
      /goes with updateService.strategySettingsSecret/,
    ],
    'an image of Jobs without Jobs': [changed({ updateService: { jobs: { image: 'x' } } }), /are of no use without/],
    'half a bucket': [changed({ updateService: { imageStore: { bucket: 's3://b-1' } } }), /bucket goes with/],
    'a key without a bucket': [changed({ updateService: { imageStore: { keySecret: 'k' } } }), /go with .*bucket$/],
    'NATS without a database': [{ nats: { urlSecret: 'nats' } }, /^nats.urlSecret goes with database.urlSecret/],
    'a log-in to no NATS': [changed({ nats: { credsSecret: 'c' } }), /go with nats.urlSecret$/],
    'two ways to trust BMCs': [changed({ firmware: { bmcCaSecret: 'a', bmcInsecure: true } }), /contradict each other/],
    'a process each': [changed({ updateService: { launcher: 'process' } }), /^updateService.launcher .*embedded, kub/],
    'two facilities': [changed({ updateService: { facility: 'a,b' } }), /^updateService.facility must match/],
    'a limit below none': [
      changed({ updateService: { limits: { updates: -1 } } }),
      /^updateService.limits.updates must/,
    ],
  };
  for (const [title, [given, message]] of Object.entries(refused)) {
    test(`values with ${title} are refused`, () => assert.match(faultOf(given), message));
  }
});
