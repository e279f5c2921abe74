import { type AnyKubeObject, isNotFound, type KubeClient, type ResourceRef } from '../../kube/index.ts';
import { webhookName } from '../../manifests/index.ts';

const configurationsRef: ResourceRef = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
  namespaced: false,
  kind: 'ValidatingWebhookConfiguration',
};

/**
 * Removes what `rackwright webhooks` left in the embedded API server, which asks the same rules in its own process. Once
 * that command has ended, nothing of our kinds could be written any more.
 */
export async function withdrawWebhooks(client: KubeClient, signal: AbortSignal): Promise<void> {
  try {
    await client.resource<AnyKubeObject>(configurationsRef).delete({ name: webhookName }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
