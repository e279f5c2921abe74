import type { DiscoverySource } from '../../discovery-source.ts';
import type { AgentParts } from '../parts.ts';

/** The machines that introduced themselves. */
export function createAgentSource({ records, refusals }: Pick<AgentParts, 'records' | 'refusals'>): DiscoverySource {
  return {
    list: async () => ({ kind: 'done', value: await records.list() }),
    read: async (id) => ({ kind: 'done', value: await records.readDetails(id) }),
    refused: async () => ({ kind: 'done', value: refusals.list() }),
  };
}
