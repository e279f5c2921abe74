import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { AnyKubeObject, KubeClient, KubeObject } from '../../../src/kube/index.ts';
import { type CliProcess, startCli } from '../../e2e/cli-fixture.ts';
import { until } from '../ironic/until.ts';
import { kubeconfigYaml } from '../kube/kubeconfig.ts';
import { mountVolumes, type Volume, type VolumeMount } from './component-volumes.ts';

/** Where components run, and whom they ask. */
export interface ComponentPlace {
  /** As an administrator. */
  readonly client: KubeClient;
  readonly caPem: string;
  readonly folder: string;
  /** Settings that only make sense on this machine. */
  readonly env?: Readonly<Record<string, string>>;
  /** Such settings of one component. */
  envOf?(component: string): Readonly<Record<string, string>>;
  /** Where the API server is, for a component. */
  serverFor(component: string): string;
}

/** A component that runs as its Deployment says, as the account that its Deployment names. */
export interface RunningComponent {
  readonly name: string;
  /** The name by which the API server knows it. */
  readonly user: string;
  readonly token: string;
  /** How it reaches the API server. */
  readonly kubeconfig: string;
  readonly process: CliProcess;
  /** Where it says whether it works. */
  readonly url: string;
}

/** As far as it is looked into. */
export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value: string }[];
          readonly volumeMounts: readonly VolumeMount[];
        }[];
        readonly volumes: readonly Volume[];
      };
    };
  };
}

const deployments = { group: 'apps', version: 'v1', resource: 'deployments', namespaced: true, kind: 'Deployment' };
const accounts = { group: '', version: 'v1', resource: 'serviceaccounts', namespaced: true, kind: 'ServiceAccount' };

/** Starts what the Deployments of a namespace describe, one process each, and waits until they are ready. */
export async function startComponents(
  place: ComponentPlace,
  namespace: string,
  /** Of these one runs already. */
  { without = [] }: { readonly without?: readonly string[] } = {},
): Promise<readonly RunningComponent[]> {
  const { items } = await place.client.resource<Deployment>(deployments).list({ namespace });
  const wanted = items.filter(({ metadata }) => !without.includes(metadata?.name ?? ''));
  return Promise.all(wanted.map((deployment) => startComponent(place, deployment)));
}

/** Starts one more replica of a component, in a folder of its own. */
export async function startReplica(
  place: ComponentPlace,
  component: string,
  namespace: string,
): Promise<RunningComponent> {
  const deployment = await place.client.resource<Deployment>(deployments).get({ namespace, name: component });
  return startComponent(place, deployment);
}

/** Starts one of them. */
export async function startComponent(place: ComponentPlace, deployment: Deployment): Promise<RunningComponent> {
  const { name = '', namespace = '' } = deployment.metadata ?? {};
  const pod = deployment.spec?.template.spec;
  const [container] = pod?.containers ?? [];
  assert.ok(pod !== undefined && container !== undefined);
  const token = await tokenOf(place.client, { namespace, name: pod.serviceAccountName });
  const folder = join(place.folder, `${namespace}-${name}`);
  mkdirSync(folder, { recursive: true });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigYaml({ server: place.serverFor(name), caPem: place.caPem, token }), {
    mode: 0o600,
  });
  writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
  const content = { namespace, volumes: pod.volumes, mounts: container.volumeMounts };
  const seen = await mountVolumes(place.client, content, folder);
  const said = Object.fromEntries(container.env.map(({ name: variable, value }) => [variable, seen(value)]));
  const here = {
    RACKWRIGHT_KUBECONFIG: kubeconfig,
    RACKWRIGHT_HOST: '127.0.0.1',
    RACKWRIGHT_REST_PORT: '0',
    RACKWRIGHT_DATA_DIR: join(folder, 'data'),
    ...(said.RACKWRIGHT_TOKEN_FILE === undefined ? {} : { RACKWRIGHT_TOKEN_FILE: join(folder, 'token') }),
  };
  const process = startCli(container.args, { ...said, ...here, ...place.env, ...place.envOf?.(name) });
  await process.until('"msg":"ready"');
  const line = process.printed.out.split('\n').find((each) => each.includes('"msg":"ready"')) ?? '{}';
  const { url } = JSON.parse(line) as { url: string };
  return {
    name,
    token,
    kubeconfig,
    process,
    url,
    user: `system:serviceaccount:${namespace}:${pod.serviceAccountName}`,
  };
}

/** Waits until components say that they work, and sees that their own accounts may not read what they measure. */
export async function untilReady(running: readonly RunningComponent[]): Promise<void> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  for (const { user, url, token } of running) {
    await until({
      what: `${user} is ready`,
      timeoutMs: 120_000,
      look: async () => ((await request(`${url}/readyz`, { dispatcher })).statusCode === 200 ? true : undefined),
    });
    // Who may read metrics is asked of the API server; the component itself may not.
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await request(`${url}/metrics`, { dispatcher, headers })).statusCode, 403, user);
  }
  await dispatcher.close();
}

async function tokenOf(client: KubeClient, account: { namespace: string; name: string }): Promise<string> {
  const order = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const made = await client.resource<KubeObject>(accounts).subresource<AnyKubeObject>('token').create(account, order);
  return (made.status as { token: string }).token;
}
