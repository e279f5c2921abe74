import { join } from 'node:path';
import { freePortRange } from '../real/free-ports.ts';
import { startRealKube } from '../real/kube/real-kube.ts';
import type { OpenPlane } from './plane.ts';

/** A real kube-apiserver on etcd, with the controllers that every cluster has. */
export const openRealPlane: OpenPlane = async (folder) => {
  const kube = await startRealKube({ dataDir: join(folder, 'kube'), port: await freePortRange(4) });
  return {
    kubeconfig: kube.kubeconfigPath,
    restart: () => kube.restartApiServer(),
    pids: () => Object.values(kube.pids),
    stop: () => kube.stop(),
  };
};
