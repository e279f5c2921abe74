import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createClient, type KubeObject } from '../../../src/kube/index.ts';
import { freePortRange } from '../../real/free-ports.ts';
import type { Scratch } from '../../real/ironic/scratch.ts';
import { until } from '../../real/ironic/until.ts';
import { startRealKube } from '../../real/kube/real-kube.ts';
import { type CliProcess, startCli, startUp } from '../cli-fixture.ts';
import { patienceMs } from './host-diary.ts';

/** An API server with our kinds, and controllers of hosts that work for it. */
export interface HostPlane {
  readonly kubeconfig: string;
  /** All that its processes printed. */
  printed(): string;
  /** Kills the controllers that work, and resolves when others do; absent where there are no others. */
  killLeader?(): Promise<void>;
}

/** Starts `rackwright up` on its embedded API server. */
export async function startEmbeddedPlane(scratch: Scratch, words: readonly string[]): Promise<HostPlane> {
  const dataDir = scratch.folder('embedded');
  const up = await startUp(dataDir, ['--simulate', '0', ...words]);
  scratch.keep({ stop: async () => void (await up.end('SIGTERM')) });
  return { kubeconfig: join(dataDir, 'kubeconfig'), printed: () => up.printed.out + up.printed.err };
}

const crds = join(import.meta.dirname, '..', '..', '..', 'deploy', 'crds');

/** Starts a real kube-apiserver with the definitions that are shipped, and two processes of `rackwright controllers`. */
export async function startClusterPlane(scratch: Scratch, words: readonly string[]): Promise<HostPlane> {
  const real = scratch.keep(await startRealKube({ dataDir: scratch.folder('kube'), port: await freePortRange(4) }));
  const { kubeconfigPath: kubeconfig } = real;
  const applied = spawnSync(real.kubectl, ['--kubeconfig', kubeconfig, 'apply', '--server-side', '-f', crds], {
    encoding: 'utf8',
  });
  if (applied.status !== 0) throw new Error(`the definitions could not be applied: ${applied.stderr}`);
  const started: CliProcess[] = [];
  const start = async (): Promise<CliProcess> => {
    const dataDir = scratch.folder(`controllers-${started.length}`);
    const where = ['--kubeconfig', kubeconfig, '--data-dir', dataDir, '--port', '0', '--rest-port', '0'];
    const controllers = startCli(['controllers', '--only', 'hosts', ...where, ...words]);
    started.push(controllers);
    scratch.keep({ stop: async () => void (await controllers.end('SIGTERM')) });
    await controllers.until('"msg":"ready"');
    return controllers;
  };
  const leader = await start();
  const first = await leaderOf(kubeconfig, undefined);
  await start();
  return {
    kubeconfig,
    printed: () => started.map(({ printed }) => printed.out + printed.err).join(''),
    async killLeader() {
      await leader.end('SIGKILL');
      await leaderOf(kubeconfig, first);
    },
  };
}

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}

/** Waits until somebody leads, who is not the one before. */
async function leaderOf(kubeconfig: string, before: string | undefined): Promise<string> {
  const client = await createClient({ kubeconfig });
  const ref = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespaced: true, kind: 'Lease' };
  try {
    return await until({
      what: 'a leader of the controllers of hosts',
      timeoutMs: patienceMs,
      everyMs: 500,
      async look() {
        const { items } = await client.resource<Lease>(ref).list({ namespace: 'rackwright-system' });
        const holder = items.find(({ metadata }) => metadata?.name === leaseName)?.spec?.holderIdentity;
        return holder === undefined || holder === '' || holder === before ? undefined : holder;
      },
    });
  } finally {
    await client.close();
  }
}

const leaseName = 'rackwright-hosts';
