import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { AnyKubeObject, KubeClient } from '../../../src/kube/index.ts';
import { freePortRange } from '../../real/free-ports.ts';
import type { Scratch } from '../../real/ironic/scratch.ts';
import { startRealKube } from '../../real/kube/real-kube.ts';
import { startCli } from '../cli-fixture.ts';

/** Which API server objects are kept on. */
export type PlaneKind = 'embedded' | 'cluster';

/** An API server, and all that `rackwright up` runs for it. */
export interface LivePlane {
  readonly kubeconfig: string;
  /** Where its REST services are, and whose certificate they show, if any. */
  readonly rest: { readonly url: string; readonly caFile: string | undefined };
  /** All that its processes printed. */
  printed(): string;
  /** Kills `rackwright up` as a loss of power would, and resolves when it runs again. */
  killAndStart(): Promise<void>;
}

/** What differs between two planes. */
export interface PlaneOrder {
  /** Of its folder. */
  readonly name: string;
  readonly kind: PlaneKind;
  /** More flags. */
  readonly words: readonly string[];
}

/** Starts `rackwright up` without a simulated rack, on its embedded API server or beside a real kube-apiserver. */
export async function startLivePlane(scratch: Scratch, { name, kind, words }: PlaneOrder): Promise<LivePlane> {
  const dataDir = scratch.folder(name);
  const cluster = kind === 'cluster' ? await startCluster(scratch, name) : undefined;
  // The API server, and REST above it, are where they were when it is started again.
  const port = await freePortRange(3);
  const where = ['--data-dir', dataDir, '--port', String(port), '--simulate', '0', '--bmc-http', 'yes'];
  const start = () => startCli(['up', ...where, ...(cluster === undefined ? [] : ['--kubeconfig', cluster]), ...words]);
  let running = start();
  let before = '';
  const ready = () => running.until('Ctrl-C stops it');
  scratch.keep({ stop: async () => void (await running.end('SIGTERM')) });
  await ready();
  return {
    kubeconfig: cluster ?? join(dataDir, 'kubeconfig'),
    rest: {
      url: /REST and RPC +(https?:\/\/\S+)/.exec(running.printed.out)?.[1] ?? assert.fail(running.printed.out),
      caFile: cluster === undefined ? join(dataDir, 'pki', 'ca.crt') : undefined,
    },
    printed: () => before + running.printed.out + running.printed.err,
    async killAndStart() {
      await running.end('SIGKILL');
      before += running.printed.out + running.printed.err;
      running = start();
      await ready();
    },
  };
}

async function startCluster(scratch: Scratch, name: string): Promise<string> {
  const where = { dataDir: scratch.folder(`${name}-kube`), port: await freePortRange(4) };
  // Nothing here needs its controllers, and these give up where the API server takes its time.
  return scratch.keep(await startRealKube({ ...where, withoutControllers: true })).kubeconfigPath;
}

const refOf = (group: string, resource: string, kind: string) => ({
  ...{ group, version: 'v1', resource, kind },
  namespaced: group === '',
});

/** Makes somebody who may do everything over REST, and gives a token of theirs. */
export async function restToken(client: KubeClient, namespace: string): Promise<string> {
  const name = 'rest-admin';
  const accounts = client.resource<AnyKubeObject>(refOf('', 'serviceaccounts', 'ServiceAccount'));
  await accounts.create({ metadata: { name, namespace } });
  const bindings = refOf('rbac.authorization.k8s.io', 'clusterrolebindings', 'ClusterRoleBinding');
  for (const role of ['rackwright-rest-credentials', 'rackwright-rest-admin']) {
    await client.resource<AnyKubeObject>(bindings).create({
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
  }
  const order = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const made = await accounts.subresource<AnyKubeObject>('token').create({ name, namespace }, order);
  return (made.status as { token: string }).token;
}
