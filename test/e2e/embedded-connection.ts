import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../src/apiserver/index.ts';
import type { ConnectionSpec } from '../../src/kube/index.ts';

/** Starts an embedded API server for a contract suite; `stop` ends it and removes its directory. */
export function embeddedConnection(): { connect(): Promise<ConnectionSpec>; stop(): Promise<void> } {
  const dataDir = mkdtempSync(join(tmpdir(), 'contract-'));
  const started = startApiServer({ dataDir, port: 0 });
  return {
    async connect() {
      return { kubeconfigText: (await started).kubeconfig };
    },
    async stop() {
      await (await started).close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
