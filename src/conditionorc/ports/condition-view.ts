import { type Condition, type Engine, isFinal, type JsonObject, targetOf } from '../../engine/index.ts';
import type { ConditionView } from '../../serverservice/index.ts';
import { showCondition } from '../records/condition-record.ts';

/** The conditions of servers as Serverservice shows them among the attributes: of each kind the one that counts. */
export function createConditionView(engine: Pick<Engine, 'list'>): ConditionView {
  return {
    async list(serverId) {
      const { conditions } = await engine.list({ target: targetOf(serverId.toLowerCase()), limit: 1000 });
      const byKind = new Map<string, Condition>();
      // Newest first: a later one that is not final counts more than a newer one that is.
      for (const one of conditions) {
        const known = byKind.get(one.kind);
        if (known === undefined || (isFinal(known.state) && !isFinal(one.state))) byKind.set(one.kind, one);
      }
      return [...byKind.values()].map((one) => ({
        kind: one.kind,
        data: showCondition(one) as JsonObject,
        createdAt: one.createdAt,
        updatedAt: one.updatedAt,
      }));
    },
  };
}
