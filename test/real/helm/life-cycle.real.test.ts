/**
 * The life of a release of the chart on a real kube-apiserver, by the commands of docs/installing.md as the page has them.
 * No node is there that would run a pod: what counts is which objects are there.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { stringify } from 'yaml';
import { home, type InstalledObject, objectsOf, readValues } from '../../../src/manifests/index.ts';
import { blocksFor } from '../../docs/pages.ts';
import { typePages } from '../../docs/type-pages.ts';
import { type Desk, typeForCode, typeLines } from '../../docs/typed-commands.ts';
import { freePortRange } from '../free-ports.ts';
import { until } from '../ironic/until.ts';
import { whyNoRealKube } from '../kube/binaries.ts';
import { type RealKube, startRealKube } from '../kube/real-kube.ts';
import { realHelm } from './binaries.ts';

const skip = whyNoRealKube();
const version = '0.1.0';
const first = { hosts: { ironicUrl: 'https://ironic.example:6385' } };
const later = { ...first, replicas: 3, network: { enabled: false } };
const host = `{apiVersion: metal3.io/v1alpha1, kind: BareMetalHost, metadata: {name: mine, namespace: default, finalizers: [baremetalhost.metal3.io]}, spec: {online: false}}`;

describe('a release of the chart', { ...(skip === undefined ? {} : { skip }) }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-release-'));
  let kube: RealKube;
  let desk: Desk;
  /** Of the host, by which it is told from another of its name. */
  let uid: string;

  before(async () => {
    const where = { dataDir: join(folder, 'kube'), port: await freePortRange(4), withoutControllers: true };
    const [helm, started] = await Promise.all([realHelm(), startRealKube(where)]);
    kube = started;
    const programs = { helm, kubectl: kube.kubectl };
    desk = { folder, env: { KUBECONFIG: kube.kubeconfigPath }, programs };
    symlinkSync(join(import.meta.dirname, '..', '..', '..', 'deploy'), join(folder, 'deploy'));
  });
  after(async () => {
    await kube?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const writeValues = (values: object) => writeFileSync(join(folder, 'values.yaml'), stringify(values));
  const uidOfHost = () => typeLines(desk, 'kubectl get bmh mine -o jsonpath={.metadata.uid}');

  /** Which objects of these kinds are in the cluster. */
  async function present(objects: readonly InstalledObject[]): Promise<string[]> {
    const kinds = [...new Set(objects.map(({ kind }) => kind.toLowerCase()))].join();
    const labels = '--selector app.kubernetes.io/part-of=rackwright --all-namespaces';
    const printed = await typeLines(desk, `kubectl get ${kinds} ${labels} -o json`);
    return (JSON.parse(printed) as { items: InstalledObject[] }).items.map(nameOf).sort();
  }

  /** What the values stand for; Helm makes the namespace by itself. */
  const objectsWith = (values: object) => objectsOf(readValues(values, version)).filter(isNoNamespace);
  const definitions = objectsWith({}).filter(isDefinition);

  typePages(blocksFor(import.meta.filename), {
    'helm install rackwright deploy/chart': {
      type: async (lines) => {
        writeValues(first);
        assert.match(await typeLines(desk, lines), /^STATUS: deployed$/m);
        const wanted = objectsWith(first);
        assert.deepEqual(await present(wanted), wanted.map(nameOf).sort());
        await makeHost();
      },
    },
    'helm upgrade rackwright deploy/chart': {
      type: async (lines) => {
        writeValues(later);
        assert.match(await typeLines(desk, lines), /^REVISION: 2$/m);
        const [before, wanted] = [objectsWith(first), objectsWith(later)];
        assert.ok(before.length > wanted.length, 'less is wanted than before');
        // Also that which somebody took away is there again.
        assert.deepEqual(await present(before), wanted.map(nameOf).sort());
        const replicas = `kubectl get deployments -n ${home} -o jsonpath='{.items[*].spec.replicas}'`;
        assert.equal(await typeLines(desk, replicas), '3 3 3');
        assert.equal(await uidOfHost(), uid);
        writeValues({ ...later, crds: { install: false } });
        await typeLines(desk, lines);
        assert.deepEqual(await present(definitions), definitions.map(nameOf).sort());
        assert.equal(await uidOfHost(), uid);
      },
    },
    'helm uninstall rackwright': {
      type: async (lines) => {
        // With the definitions in the release again.
        writeValues(later);
        await typeLines(desk, `helm upgrade rackwright deploy/chart --namespace ${home} --values values.yaml`);
        assert.match(await typeLines(desk, lines), /^release "rackwright" uninstalled$/m);
        assert.deepEqual(await present(objectsWith(first)), definitions.map(nameOf).sort());
        assert.equal(await uidOfHost(), uid);
        await typeLines(desk, `helm install rackwright deploy/chart --namespace ${home} --values values.yaml`);
        assert.deepEqual(await present(objectsWith(later)), objectsWith(later).map(nameOf).sort());
        assert.equal(await uidOfHost(), uid);
      },
    },
  });

  /**
   * An object of a user. No webhook runs here, so it is made while the API server is not told of any. What that was told is so
   * a moment later.
   */
  async function makeHost(): Promise<void> {
    const create = (words: string) => `kubectl create ${words} -f - <<< '${host}'`;
    await untilTyped('a refusal of our kinds while no webhook answers', {
      lines: create('--dry-run=server'),
      isSo: ({ code, printed }) => code === 1 && /failed calling webhook/.test(printed),
    });
    await typeLines(desk, 'kubectl delete validatingwebhookconfiguration rackwright');
    await untilTyped('a host', { lines: create(''), isSo: ({ code }) => code === 0 });
    uid = await uidOfHost();
  }

  /** Types lines again and again until they end as asked. */
  async function untilTyped(what: string, { lines, isSo }: { lines: string; isSo: (typed: Typed) => boolean }) {
    let typed: Typed | undefined;
    await until({
      what,
      timeoutMs: 120_000,
      async look() {
        typed = await typeForCode(desk, lines);
        return isSo(typed) || undefined;
      },
      detail: () => `${typed?.code} ${typed?.printed}`,
    });
  }
});

type Typed = Awaited<ReturnType<typeof typeForCode>>;

function nameOf({ kind, metadata }: InstalledObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

function isDefinition({ kind }: InstalledObject): boolean {
  return kind === 'CustomResourceDefinition';
}

function isNoNamespace({ kind }: InstalledObject): boolean {
  return kind !== 'Namespace';
}
