import type { JsonObject } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import type { ServerFields } from '../servers/server.ts';
import type { Servers } from '../servers/servers.ts';
import type { Attribute } from './attribute.ts';
import type { AttributeDraft, Attributes } from './attributes.ts';
import { type ConditionAttribute, conditionNamespace, isConditionNamespace } from './condition-view.ts';

/**
 * Attributes of servers. Among them are the server's conditions, which can be read here and not changed. Attributes by
 * which clients of the shipped service tell BMC and model also change the server itself.
 */
export interface ServerAttributes {
  /** Conditions come after the others. */
  list(serverId: string, request: PageRequest): Promise<Page<Attribute>>;
  /** Throws `notFound`. */
  get(serverId: string, namespace: string): Promise<Attribute>;
  put(serverId: string, draft: AttributeDraft): Promise<'created' | 'updated'>;
  /** Throws `duplicate`. */
  create(serverId: string, draft: AttributeDraft): Promise<void>;
  /** Throws `notFound`. */
  remove(serverId: string, namespace: string): Promise<void>;
}

/** The attributes of servers kept in the store, and the conditions of the engine. */
export function createServerAttributes(
  context: InventoryContext,
  parts: { readonly servers: Servers; readonly attributes: Attributes },
): ServerAttributes {
  const { servers, attributes } = parts;
  const conditionsOf = async (id: string): Promise<readonly Attribute[]> =>
    ((await context.conditions?.list(id)) ?? [])
      .map(showCondition)
      .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
  const ownerOf = async (serverId: string) => ({ kind: 'server', id: (await servers.get(serverId)).id }) as const;
  const beforeWrite = async (serverId: string, draft: AttributeDraft) => {
    const owner = await ownerOf(serverId);
    refuseConditions(owner.id, draft.namespace);
    const learnt = learnFrom(draft);
    if (learnt !== undefined) await servers.update(owner.id, learnt);
    return owner;
  };
  return {
    list: async (serverId, request) => {
      const owner = await ownerOf(serverId);
      const stored = await attributes.list(owner, request);
      const shown = await conditionsOf(owner.id);
      const start = Math.max(0, (request.page - 1) * request.limit - stored.total);
      const room = request.limit - stored.records.length;
      return {
        records: [...stored.records, ...shown.slice(start, start + room)],
        total: stored.total + shown.length,
      };
    },
    get: async (serverId, namespace) => {
      const owner = await ownerOf(serverId);
      const found = isConditionNamespace(namespace)
        ? (await conditionsOf(owner.id)).find((one) => one.namespace.toLowerCase() === namespace.toLowerCase())
        : await attributes.get(owner, namespace);
      if (found === undefined) throw missing(owner.id, namespace);
      return found;
    },
    put: async (serverId, draft) => attributes.put(await beforeWrite(serverId, draft), draft),
    create: async (serverId, draft) => attributes.create(await beforeWrite(serverId, draft), draft),
    remove: async (serverId, namespace) => {
      const owner = await ownerOf(serverId);
      refuseConditions(owner.id, namespace);
      if (!(await attributes.remove(owner, namespace))) throw missing(owner.id, namespace);
    },
  };
}

function missing(serverId: string, namespace: string): InventoryError {
  return new InventoryError('notFound', { what: 'attribute', id: `${namespace} of server ${serverId}` });
}

function refuseConditions(server: string, namespace: string): void {
  if (isConditionNamespace(namespace)) throw new InventoryError('readOnly', { namespace, server });
}

function showCondition({ kind, data, createdAt, updatedAt }: ConditionAttribute): Attribute {
  return { namespace: `${conditionNamespace}${kind}`, data, createdAt, updatedAt };
}

/** What two attributes of the shipped service say of the server itself. */
function learnFrom({ namespace, data }: AttributeDraft): Partial<ServerFields> | undefined {
  const text = (name: string) => textIn(data, name);
  if (namespace === 'sh.hollow.bmc_info') {
    const address = text('address');
    return address === undefined ? undefined : { bmcAddress: address };
  }
  if (namespace !== 'sh.hollow.server_vendor_attributes') return undefined;
  const [vendor, model, serial] = [text('vendor'), text('model'), text('serial')];
  return {
    ...(vendor === undefined ? {} : { vendor }),
    ...(model === undefined ? {} : { model }),
    ...(serial === undefined ? {} : { serial }),
  };
}

function textIn(data: JsonObject, name: string): string | undefined {
  const value = data[name];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
