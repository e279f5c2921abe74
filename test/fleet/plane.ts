import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startCli } from '../e2e/cli-fixture.ts';

/** An API server that objects of a fleet are in, and that can be away for a moment. */
export interface FleetPlane {
  readonly kubeconfig: string;
  /** Ends the API server and starts it again, with the same objects at the same address. */
  restart(): Promise<void>;
  /** The processes that run for it now. */
  pids(): readonly number[];
  stop(): Promise<void>;
}

/** Starts a plane in a folder. */
export type OpenPlane = (folder: string) => Promise<FleetPlane>;

/** The embedded API server, as a process. */
export const openEmbeddedPlane: OpenPlane = async (folder) => {
  const dataDir = join(folder, 'api');
  const kubeconfig = join(dataDir, 'kubeconfig');
  const start = async (port: string) => {
    const server = startCli(['apiserver', '--data-dir', dataDir, '--port', port]);
    await server.until('export KUBECONFIG=');
    return server;
  };
  let server = await start('0');
  const { port } = new URL(serverIn(kubeconfig));
  return {
    kubeconfig,
    async restart() {
      const code = await server.end('SIGTERM');
      if (code !== 0) throw new Error(`the API server ended with ${code}: ${server.printed.err}`);
      server = await start(port);
    },
    pids: () => [server.child.pid ?? 0],
    async stop() {
      await server.end('SIGKILL');
    },
  };
};

function serverIn(kubeconfig: string): string {
  const { clusters } = parse(readFileSync(kubeconfig, 'utf8')) as { clusters: { cluster: { server: string } }[] };
  return clusters[0]?.cluster.server ?? '';
}
