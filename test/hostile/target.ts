import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyKubeObject, createClient, type KubeClient } from '../../src/kube/index.ts';
import { type CliProcess, startUp } from '../e2e/cli-fixture.ts';

/** A port of the server, and what is spoken there. */
export interface Port {
  readonly name: 'api' | 'rest' | 'console' | 'agents';
  readonly port: number;
  readonly isTls: boolean;
}

/** A running `rackwright up` with a simulated rack, to be attacked. */
export interface Target {
  readonly process: CliProcess;
  readonly ports: readonly Port[];
  readonly api: Port;
  readonly adminToken: string;
  /** As administrator. */
  readonly client: KubeClient;
  /** Bearer tokens by name of who has them; none of them may write anything. Undefined: no credentials. */
  readonly identities: Readonly<Record<string, string | undefined>>;
  stop(): Promise<number | null>;
}

const lines: Readonly<Record<Port['name'], RegExp>> = {
  api: /Kubernetes API +(\S+)/,
  rest: /REST and RPC +(\S+)/,
  console: /Console +(\S+)/,
  agents: /Agents +(\S+)/,
};

/** Starts it with as many servers, and waits until its hosts rest: what changes after that was changed by a request. */
export async function startTarget(dataDir: string, { servers }: { readonly servers: number }): Promise<Target> {
  const process = await startUp(dataDir, ['--simulate', String(servers)]);
  await process.until('Hosts of the rack:');
  const ports = Object.entries(lines).map(([name, line]): Port => {
    const url = new URL(line.exec(process.printed.out)?.[1] ?? '');
    return { name: name as Port['name'], port: Number(url.port), isTls: url.protocol === 'https:' };
  });
  const api = ports.find(({ name }) => name === 'api');
  if (api === undefined) throw new Error('it does not say where its API is');
  const adminToken = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const caPem = readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8');
  const client = await createClient({ server: `https://127.0.0.1:${api.port}`, token: adminToken, caPem });
  const identities = {
    nobody: undefined,
    'a wrong token': 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.AAAA',
    'an account without roles': await accountToken(client, 'hostile-none', []),
    'a reader': await accountToken(client, 'hostile-reader', ['rackwright-viewer', 'rackwright-rest-viewer']),
  };
  const stop = async (): Promise<number | null> => {
    await client.close();
    return process.end('SIGTERM');
  };
  return { process, ports, api, adminToken, client, identities, stop };
}

const accountsRef = { group: '', version: 'v1', resource: 'serviceaccounts', namespaced: true, kind: 'ServiceAccount' };
const bindingsRef = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false },
  ...{ resource: 'clusterrolebindings', kind: 'ClusterRoleBinding' },
};

async function accountToken(client: KubeClient, name: string, roles: readonly string[]): Promise<string> {
  const key = { name, namespace: 'default' };
  const accounts = client.resource<AnyKubeObject>(accountsRef);
  await accounts.create({ metadata: key });
  for (const role of roles) {
    await client.resource<AnyKubeObject>(bindingsRef).create({
      metadata: { name: `${name}-${role}` },
      roleRef: { apiGroup: bindingsRef.group, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', ...key }],
    });
  }
  const spec = { expirationSeconds: 24 * 3600 };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const made = await accounts.subresource<AnyKubeObject>('token').create(key, request);
  return (made.status as { token: string }).token;
}
