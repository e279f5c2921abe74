import { stringify } from 'yaml';

/** What a kubeconfig needs to know of one server and one user. */
export interface KubeconfigFacts {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
}

/** Writes a kubeconfig for one bearer token. */
export function kubeconfigYaml({ server, caPem, token }: KubeconfigFacts): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'local', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'admin', namespace: 'default' } }],
    'current-context': 'local',
  });
}
