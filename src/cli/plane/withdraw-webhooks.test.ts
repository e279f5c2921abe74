import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApi } from '../../apiserver/testing/test-api.ts';
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
  const api = await startTestApi(async (connection) => {
    const client = await createClient(connection);
    return { client, close: () => client.close() };
  });
  t.after(() => api.close());
  const { client } = api;
  const createMap = () => client.request({ method: 'POST', path: maps, body: { metadata: { generateName: 'm-' } } });
  await withdrawWebhooks(client, never);
  await client.request({ method: 'POST', path: configurations, body: left });
  await assert.rejects(createMap(), /gone.rackwright.io/);
  await withdrawWebhooks(client, never);
  await createMap();
});
