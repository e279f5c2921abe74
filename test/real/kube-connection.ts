import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionSpec } from '../../src/kube/index.ts';
import { freePortRange } from './free-ports.ts';
import { type RealKube, type RealKubeOptions, startRealKube } from './kube/real-kube.ts';

/** Starts a real control plane for a contract suite; `stop` ends it and removes its directory. */
export function realConnection(options: Pick<RealKubeOptions, 'controllers'> = {}): {
  connect(): Promise<ConnectionSpec>;
  stop(): Promise<void>;
} {
  const dataDir = mkdtempSync(join(tmpdir(), 'contract-'));
  let kube: RealKube | undefined;
  return {
    async connect() {
      kube ??= await startRealKube({ dataDir, port: await freePortRange(4), ...options });
      return { kubeconfig: kube.kubeconfigPath };
    },
    async stop() {
      await kube?.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
