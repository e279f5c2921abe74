import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJobFile } from '../../jobs/index.ts';
import type { AnyKubeObject, KubeClient, ResourceRef } from '../../kube/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import type { LaunchOrder } from '../../update-service/index.ts';
import { Closing } from '../install-service/closing.ts';
import { updateServiceSettings } from '../install-service/stand-alone/setting-names.ts';
import { readSettings } from '../settings.ts';
import { chooseLauncher, type LauncherParts } from './choose-launcher.ts';

/** A cluster that takes everything. */
function clusterOf(created: AnyKubeObject[]): KubeClient {
  const resource = (_ref: ResourceRef) => ({
    create: async (object: AnyKubeObject) => {
      created.push(object);
      return object;
    },
    list: async () => ({ items: [] }),
  });
  return { resource } as unknown as KubeClient;
}

test('Jobs of Kubernetes are told which implementations to load, as they were given', async () => {
  const created: AnyKubeObject[] = [];
  const flags = {
    launcher: 'kubernetes',
    jobImage: 'registry.example/rackwright',
    jobImplementation: ['@acme/jobs', '/opt/jobs'],
  };
  const settings = readSettings(updateServiceSettings, flags, { env: {}, cwd: '/' });
  const launcher = await chooseLauncher(settings, {
    plane: { service: {} },
    ...{ client: clusterOf(created), url: 'https://updates.example', logger: silentLogger, open: new Closing() },
    ...{
      strategy: undefined,
      sources: [],
      images: undefined,
      trust: { kind: 'system', allowsHttp: true },
      implementations: [],
    },
  } as unknown as LauncherParts);
  const work = { lease: { token: 1 } };
  const order = { jobId: 'one', type: 'discovery', token: 'secret', work } as LaunchOrder;
  await launcher.launch(order);
  const [job] = created as unknown as { spec: { template: { spec: { containers: { args: string[] }[] } } } }[];
  const words = ['job', '--job-implementation', '@acme/jobs', '--job-implementation', '/opt/jobs', '--job-file'];
  assert.deepEqual(job?.spec.template.spec.containers[0]?.args.slice(0, words.length), words);
});

test('jobs outside this process are told what their server is known by', async () => {
  const created: AnyKubeObject[] = [];
  const flags = { launcher: 'kubernetes', jobImage: 'registry.example/rackwright' };
  const settings = readSettings(updateServiceSettings, flags, { env: {}, cwd: '/' });
  const id = '0a1b2c3d-1111-4222-8333-444455556666';
  const attributes = [{ namespace: 'io.rackwright.onboarding', data: {} }];
  const server = { id, serial: 'SN-1', bmcAddress: 'https://192.0.2.7/redfish/v1/Systems/1', attributes };
  const service = {
    servers: { getDetails: async () => server },
    credentials: { get: async () => ({ username: 'u', password: 'p' }) },
  };
  const launcher = await chooseLauncher(settings, {
    plane: { service },
    ...{ client: clusterOf(created), url: 'https://updates.example', logger: silentLogger, open: new Closing() },
    ...{
      strategy: undefined,
      sources: [],
      images: undefined,
      trust: { kind: 'system', allowsHttp: true },
      implementations: [],
    },
  } as unknown as LauncherParts);
  const work = { lease: { token: 1 }, condition: { target: `server/${id}` } };
  await launcher.launch({ jobId: 'one', type: 'update', token: 'secret', work } as LaunchOrder);
  const secret = created.find(({ kind }) => kind === 'Secret') as unknown as { data: Record<string, string> };
  const [contents = ''] = Object.values(secret.data);
  const file = decodeJobFile(Buffer.from(contents, 'base64').toString(), 'of the Secret');
  assert.deepEqual(file.bmc?.machine, { uuid: id, serial: 'SN-1' });
});
