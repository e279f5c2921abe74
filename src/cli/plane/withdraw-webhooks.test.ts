import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApiServer } from '../../apiserver/index.ts';
import { createClient } from '../../kube/index.ts';
import { webhookName } from '../../manifests/index.ts';
import { withdrawWebhooks } from './withdraw-webhooks.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const maps = '/api/v1/namespaces/default/configmaps';
const never = new AbortController().signal;

/** As `rackwright webhooks` leaves it: nobody listens there any more. */
const left = {
  metadata: { name: webhookName },
  webhooks: [
    {
      name: 'gone.rackwright.io',
      clientConfig: { url: 'https://127.0.0.1:9/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
    },
  ],
};

test('webhooks that are gone no longer keep the embedded API server from being written', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rackwright-webhooks-'));
  const server = await startApiServer({ dataDir, port: 0 });
  const client = await createClient({ kubeconfigText: server.kubeconfig });
  t.after(async () => {
    await client.close();
    await server.close();
    rmSync(dataDir, { recursive: true });
  });
  const createMap = () => client.request({ method: 'POST', path: maps, body: { metadata: { generateName: 'm-' } } });
  await withdrawWebhooks(client, never);
  await client.request({ method: 'POST', path: configurations, body: left });
  await assert.rejects(createMap(), /gone.rackwright.io/);
  await withdrawWebhooks(client, never);
  await createMap();
});
