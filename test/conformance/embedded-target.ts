import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificatePair, CertificateSubject } from '../real/certificate-authority.ts';
import { realKubeBinaries } from '../real/kube/binaries.ts';
import type { ConformanceTarget } from './target.ts';

/** What this suite needs of the embedded server's own door. */
interface EmbeddedServer {
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly kubeconfig: string;
  issueClientCertificate(subject: CertificateSubject): Promise<CertificatePair>;
  compact(): Promise<void>;
  close(): Promise<void>;
}

interface EmbeddedDoor {
  startApiServer(options: { dataDir: string; port: number }): Promise<EmbeddedServer>;
}

/** Starts the embedded API server as a target. */
export async function startEmbeddedTarget(options: { dataDir: string; port: number }): Promise<ConformanceTarget> {
  mkdirSync(options.dataDir, { recursive: true });
  const { kubectl } = await realKubeBinaries();
  const door = '../../src/apiserver/index.ts';
  const { startApiServer } = (await import(door)) as EmbeddedDoor;
  const server = await startApiServer(options);
  const kubeconfigPath = join(options.dataDir, 'conformance.kubeconfig');
  writeFileSync(kubeconfigPath, server.kubeconfig, { mode: 0o600 });
  return {
    name: 'embedded',
    url: server.url,
    caPem: server.caPem,
    adminToken: server.adminToken,
    kubeconfigPath,
    kubectl,
    issueClientCertificate: (subject) => server.issueClientCertificate(subject),
    compact: () => server.compact(),
    stop: () => server.close(),
  };
}
