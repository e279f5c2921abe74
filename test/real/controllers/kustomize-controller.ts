import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-fs';
import { stringify } from 'yaml';
import type { AnyKubeObject } from '../../../src/kube/index.ts';
import { hasCondition, namespace, type ObjectAddress, valueAt } from './objects.ts';
import type { Bench, Scenario } from './scenario.ts';

const home = 'flux-system';
const group = 'flux.example.com';

/** Flux's kustomize-controller applies what a source holds, waits until it is healthy, and prunes what the source drops. */
export const kustomizeController: Scenario = {
  name: 'kustomize-controller',
  async prepare({ objects, kubeconfig, ports }) {
    await objects.apply(namespace(home));
    const port = await ports(2);
    return {
      env: { KUBECONFIG: kubeconfig.path, RUNTIME_NAMESPACE: home },
      args: [...['--metrics-addr', `127.0.0.1:${port}`, '--health-addr', `127.0.0.1:${port + 1}`]],
    };
  },
  async work(bench, round) {
    const { objects } = bench;
    const name = `round-${round}-app`;
    const source: ObjectAddress = {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      name,
      namespace: home,
    };
    const app = { ...source, apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' };
    const settings: ObjectAddress = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: name };
    const metadata = { name, namespace: home };
    await objects.apply({
      ...{ apiVersion: source.apiVersion, kind: source.kind, metadata },
      spec: { interval: '1h', url: 'https://git.example.com/app' },
    });
    await publish(bench, source, { revision: 1, files: manifests(name, { title: 'hello', hasSecret: true }) });
    await objects.apply({
      ...{ apiVersion: app.apiVersion, kind: app.kind, metadata },
      spec: {
        ...{ interval: '1h', retryInterval: '2s', timeout: '2m', prune: true, wait: true, path: './' },
        sourceRef: { kind: source.kind, name },
      },
    });
    const isAt = (revision: number) => (object: AnyKubeObject) =>
      hasCondition(object, 'Ready') && valueAt(object, 'status.lastAppliedRevision') === revisionName(revision);
    await objects.until(app, isAt(1));
    await publish(bench, source, { revision: 2, files: manifests(name, { title: 'goodbye', hasSecret: false }) });
    await objects.until(app, isAt(2));
    await objects.until(settings, (object) => valueAt(object, 'data.title') === 'goodbye');
    await objects.untilGone({ ...settings, kind: 'Secret' });
    // What others change is put right when it is reconciled again.
    await objects.merge(settings, { data: { title: 'changed by hand' } });
    const annotations = { 'reconcile.fluxcd.io/requestedAt': new Date().toISOString() };
    await objects.merge(app, { metadata: { annotations } });
    await objects.until(settings, (object) => valueAt(object, 'data.title') === 'goodbye');
    await objects.delete(app);
    await objects.untilGone(app, settings, { apiVersion: 'v1', kind: 'Namespace', name });
    await objects.delete(source);
  },
};

function revisionName(revision: number): string {
  return `main@sha1:${String(revision).padStart(40, '0')}`;
}

/** Plays the source controller: serves the files as an artifact and says so in the status of the source. */
async function publish(
  { objects, folder, defer }: Bench,
  source: ObjectAddress,
  { revision, files }: { readonly revision: number; readonly files: Readonly<Record<string, string>> },
): Promise<void> {
  const tree = mkdtempSync(join(folder, 'artifact-'));
  mkdirSync(tree, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(tree, name), text);
  const archive = await buffer(pack(tree).pipe(createGzip()));
  const server = createServer((_, response) => response.end(archive)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(async () => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const now = new Date().toISOString();
  await objects.mergeStatus(source, {
    observedGeneration: 1,
    conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'stored', lastTransitionTime: now }],
    artifact: {
      path: 'app.tar.gz',
      url: `http://127.0.0.1:${port}/app.tar.gz`,
      revision: revisionName(revision),
      digest: `sha256:${createHash('sha256').update(archive).digest('hex')}`,
      lastUpdateTime: now,
      size: archive.length,
    },
  });
}

function manifests(
  app: string,
  { title, hasSecret }: { readonly title: string; readonly hasSecret: boolean },
): Record<string, string> {
  const plural = 'gadgets';
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } } } },
  };
  const metadata = (name: string) => ({ name, namespace: app });
  const rbac = 'rbac.authorization.k8s.io';
  const objects: AnyKubeObject[] = [
    namespace(app),
    {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: `${plural}.${group}` },
      spec: {
        ...{
          group,
          scope: 'Namespaced',
          names: { kind: 'Gadget', plural, singular: 'gadget', listKind: 'GadgetList' },
        },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    },
    { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: metadata('gadget'), spec: {} },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('settings'), data: { title } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('account') },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: metadata('reader') },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
    },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: metadata('reader') },
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'account', namespace: app }],
    },
    ...(hasSecret
      ? [{ apiVersion: 'v1', kind: 'Secret', metadata: metadata('settings'), stringData: { key: 'x' } }]
      : []),
  ];
  return { 'app.yaml': objects.map((object) => stringify(object)).join('---\n') };
}
