import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    ...{ strategy: undefined, sources: [], images: undefined, trust: { kind: 'system' }, implementations: [] },
  } as unknown as LauncherParts);
  const work = { lease: { token: 1 } };
  const order = { jobId: 'one', type: 'discovery', token: 'secret', work } as LaunchOrder;
  await launcher.launch(order);
  const [job] = created as unknown as { spec: { template: { spec: { containers: { args: string[] }[] } } } }[];
  const words = ['job', '--job-implementation', '@acme/jobs', '--job-implementation', '/opt/jobs', '--job-file'];
  assert.deepEqual(job?.spec.template.spec.containers[0]?.args.slice(0, words.length), words);
});
