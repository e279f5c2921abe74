import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyKubeObject, KubeClient, KubeObject, ResourceRef } from '../../kube/index.ts';
import { parseYamlStrict } from '../../schema/index.ts';
import { CliError } from '../errors.ts';
import type { Terminal } from '../terminal.ts';

/** Where the Secret goes. */
export interface JoinSecretOrder {
  readonly client: KubeClient;
  readonly dataDir: string;
  readonly namespace: string;
  readonly name: string;
}

const account = 'simulated-nodes';
/** Machines may be deployed long after the Secret was made. */
const tokenSeconds = 30 * 24 * 3600;
const fieldManager = 'rackwright-simulate';

/**
 * Makes a Secret with user data by which simulated servers join the API of a data directory as nodes. Its token may
 * register nodes and nothing else.
 */
export async function makeJoinSecret(order: JoinSecretOrder, terminal: Terminal): Promise<void> {
  const { client, namespace, name } = order;
  const apply = (ref: ResourceRef, object: object): Promise<AnyKubeObject> =>
    client.resource<AnyKubeObject>(ref).apply(object as AnyKubeObject, { fieldManager, isForced: true });
  await apply(refs.namespaces, { metadata: { name: namespace } });
  for (const [ref, object] of accountObjects(namespace)) await apply(ref, object);
  const token = await tokenOf(client, namespace);
  const stringData = { value: cloudConfig({ ...clusterOf(order.dataDir), token }) };
  await apply(refs.secrets, { metadata: { namespace, name }, type: 'cluster.x-k8s.io/secret', stringData });
  terminal.out(`secret/${name} made\n`);
}

const core = { group: '', version: 'v1' };
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false };
const refs = {
  namespaces: { ...core, resource: 'namespaces', namespaced: false, kind: 'Namespace' },
  secrets: { ...core, resource: 'secrets', namespaced: true, kind: 'Secret' },
  accounts: { ...core, resource: 'serviceaccounts', namespaced: true, kind: 'ServiceAccount' },
  roles: { ...rbac, resource: 'clusterroles', kind: 'ClusterRole' },
  bindings: { ...rbac, resource: 'clusterrolebindings', kind: 'ClusterRoleBinding' },
};

function accountObjects(namespace: string): readonly (readonly [ResourceRef, object])[] {
  const verbs = ['create', 'get', 'patch', 'update'];
  const rules = [{ apiGroups: [''], resources: ['nodes', 'nodes/status'], verbs }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: account };
  const subjects = [{ kind: 'ServiceAccount', namespace, name: account }];
  return [
    [refs.accounts, { metadata: { namespace, name: account } }],
    [refs.roles, { metadata: { name: account }, rules }],
    [refs.bindings, { metadata: { name: `${account}-${namespace}` }, roleRef, subjects }],
  ];
}

interface TokenRequest extends KubeObject {
  readonly status?: { readonly token?: string };
}

async function tokenOf(client: KubeClient, namespace: string): Promise<string> {
  const accounts = client.resource<AnyKubeObject>(refs.accounts);
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  };
  const answer = await accounts.subresource<TokenRequest>('token').create({ namespace, name: account }, request);
  if (answer.status?.token === undefined) throw new CliError('failed', 'the API server gave no token');
  return answer.status.token;
}

interface Joined {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

function clusterOf(dataDir: string): Omit<Joined, 'token'> {
  const file = join(dataDir, 'kubeconfig');
  const parsed = parseYamlStrict(readFileSync(file, 'utf8'));
  const { clusters } = ('error' in parsed ? {} : (parsed.value ?? {})) as {
    clusters?: readonly { cluster?: { server?: string; 'certificate-authority-data'?: string } }[];
  };
  const { server, 'certificate-authority-data': ca } = clusters?.[0]?.cluster ?? {};
  if (server === undefined || ca === undefined) throw new CliError('failed', `${file} names no server`);
  return { server, ca };
}

/** What a kubelet would find on its disk. JSON is YAML. */
function cloudConfig({ server, ca, token }: Joined): string {
  const content = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'joined', cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name: 'node', user: { token } }],
  });
  const file = { path: '/etc/kubernetes/bootstrap-kubelet.conf', permissions: '0600', content };
  return `#cloud-config\n${JSON.stringify({ write_files: [file] })}\n`;
}
