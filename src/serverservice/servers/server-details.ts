import type { Transaction } from '../../engine/index.ts';
import { attributesOf } from '../attributes/attributes.ts';
import { latestVersionsOf } from '../attributes/versioned-attributes.ts';
import { componentsOf } from '../components/component-row.ts';
import type { ServerDetails, ServerRecord } from './server.ts';

/** All that is known of some servers, with the same few statements for one as for a thousand. */
export async function loadDetails(tx: Transaction, servers: readonly ServerRecord[]): Promise<ServerDetails[]> {
  if (servers.length === 0) return [];
  const ids = servers.map(({ id }) => id);
  const attributes = await attributesOf(tx, 'server', ids);
  const versioned = await latestVersionsOf(tx, 'server', ids);
  const components = await componentsOf(tx, ids);
  return servers.map((server) => ({
    ...server,
    attributes: attributes.get(server.id) ?? [],
    versionedAttributes: versioned.get(server.id) ?? [],
    components: components.get(server.id) ?? [],
  }));
}
