import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApiServer } from '../../src/apiserver/index.ts';
import { realKubeBinaries } from '../real/kube/binaries.ts';
import type { ConformanceTarget } from './target.ts';

/** Starts the embedded API server as a target. */
export async function startEmbeddedTarget(options: { dataDir: string; port: number }): Promise<ConformanceTarget> {
  mkdirSync(options.dataDir, { recursive: true });
  const { kubectl } = await realKubeBinaries();
  // The real server runs without the controller of disruption budgets, so that cases can set their numbers.
  const server = await startApiServer({ ...options, runsDisruption: false });
  const kubeconfigPath = join(options.dataDir, 'conformance.kubeconfig');
  writeFileSync(kubeconfigPath, server.kubeconfig, { mode: 0o600 });
  return {
    name: 'embedded',
    url: server.url,
    caPem: server.caPem,
    adminToken: server.adminToken,
    kubeconfigPath,
    kubectl,
    patienceMs: 180_000,
    issueClientCertificate: (subject) => server.issueClientCertificate(subject),
    compact: () => server.compact(),
    stop: () => server.close(),
  };
}
