import type { JsonObject } from '../../src/schema/index.ts';
import type { ApiClient } from './api-client.ts';
import { registration } from './webhook-steps.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const webhooks = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'];
const asMetadata = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
const whole = { accept: 'application/json' };

/**
 * Removes the webhooks and definitions that a case leaves behind, without waiting for their end. The real server goes
 * through every definition there is for each namespace that is deleted, so that hundreds of them make cases after them
 * wait in vain; and a webhook whose server is gone holds up whatever it is asked about.
 */
export async function cleanUp(client: ApiClient, { group }: { readonly group: string }): Promise<void> {
  for (const each of webhooks) {
    const isMine = (item: JsonObject) => JSON.stringify(item.webhooks ?? []).includes(`.${group}"`);
    await removeWhere(client, { path: `${registration}/${each}`, headers: whole, isMine });
  }
  const isMine = (item: JsonObject) => nameOf(item).endsWith(`.${group}`);
  await stopConverting(client, group);
  await removeWhere(client, { path: definitions, headers: asMetadata, isMine });
}

/** What a webhook that is gone should convert can be neither listed nor deleted, and holds its definition up for ever. */
async function stopConverting(client: ApiClient, group: string): Promise<void> {
  const path = `${definitions}/widgets.${group}`;
  const found = await client.send({ method: 'GET', path });
  if (found.at('spec.conversion.strategy') !== 'Webhook') return;
  const headers = { 'content-type': 'application/merge-patch+json' };
  const body = { spec: { conversion: { strategy: 'None', webhook: null } } };
  await client.send({ method: 'PATCH', path, headers, body });
}

interface Removal {
  readonly path: string;
  readonly headers: Record<string, string>;
  isMine(item: JsonObject): boolean;
}

async function removeWhere(client: ApiClient, { path, headers, isMine }: Removal): Promise<void> {
  const listed = await client.send({ method: 'GET', path, headers });
  for (const item of ((listed.at('items') ?? []) as JsonObject[]).filter(isMine)) {
    await client.send({ method: 'DELETE', path: `${path}/${nameOf(item)}` });
  }
}

function nameOf(item: JsonObject): string {
  return String((item.metadata as JsonObject).name);
}
