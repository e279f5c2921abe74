import { startRealKube } from '../real/kube/real-kube.ts';
import type { ConformanceTarget } from './target.ts';

/** Starts a real kube-apiserver as a target. */
export async function startRealTarget(options: { dataDir: string; port: number }): Promise<ConformanceTarget> {
  const kube = await startRealKube(options);
  return {
    name: 'real',
    url: kube.server,
    caPem: kube.caPem,
    adminToken: kube.adminToken,
    kubeconfigPath: kube.kubeconfigPath,
    kubectl: kube.kubectl,
    patienceMs: 180_000,
    issueClientCertificate: (subject) => kube.issueClientCertificate(subject),
    compact: () => compactEtcd(`http://127.0.0.1:${options.port + 1}`),
    stop: () => kube.stop(),
  };
}

async function compactEtcd(etcd: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${etcd}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return (await answer.json()) as { header?: { revision?: string } };
  };
  const latest = await post('/v3/kv/range', { key: Buffer.from('/').toString('base64') });
  await post('/v3/kv/compaction', { revision: latest.header?.revision, physical: true });
}
