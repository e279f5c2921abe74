import assert from 'node:assert/strict';
import type { KubeClient } from '../../../src/kube/index.ts';
import { home } from '../../../src/manifests/index.ts';
import { runCli } from '../../e2e/cli-fixture.ts';
import type { RealKube } from '../kube/real-kube.ts';

/** Installs with values, as `path=value`, on a control plane without nodes; done again it is an upgrade. */
export async function installOn(
  { kube, client }: { readonly kube: Pick<RealKube, 'kubeconfigPath'>; readonly client: KubeClient },
  values: readonly string[],
): Promise<void> {
  const words = values.flatMap((value) => ['--set', value]);
  const { code, err } = await runCli(['install', '--kubeconfig', kube.kubeconfigPath, ...words]);
  assert.equal(code, 0, err);
  // No kube-proxy runs here: the API server is told to go to this machine instead of to a pod.
  const service = { group: '', version: 'v1', resource: 'services', namespaced: true, kind: 'Service' };
  const body = { spec: { type: 'ExternalName', externalName: 'localhost', clusterIP: null, clusterIPs: null } };
  const key = { namespace: home, name: 'rackwright-webhooks' };
  await client.resource(service).patch(key, { type: 'merge', body });
}
