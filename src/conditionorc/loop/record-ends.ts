import { type Condition, type Engine, type EngineEvent, type JsonObject, machineIdOf } from '../../engine/index.ts';
import { redact } from '../../telemetry/index.ts';
import type { OrcMetrics } from '../orc-metrics.ts';
import type { ConditionEnd, InventoryPort } from '../ports/inventory.ts';
import type { EventFollower } from './follow-events.ts';

/** Writes ends of conditions into the history of their servers, at least once each. */
export function createEndRecorder(parts: {
  readonly engine: Pick<Engine, 'get'>;
  readonly inventory: Pick<InventoryPort, 'recordEnd'> | undefined;
  readonly metrics: Pick<OrcMetrics, 'completed' | 'watchDependency'>;
}): EventFollower {
  const { engine, inventory, metrics } = parts;
  const endsOf = (events: readonly EngineEvent[]) => events.filter(({ event }) => event === 'finalized');
  return {
    name: 'ends',
    async before(events) {
      if (inventory === undefined) return;
      for (const { conditionId } of endsOf(events)) {
        const condition = conditionId === undefined ? undefined : await engine.get(conditionId);
        const end = condition === undefined ? undefined : endOf(condition);
        if (end !== undefined) await metrics.watchDependency('serverservice', 'recordEnd', inventory.recordEnd(end));
      }
    },
    after(events) {
      for (const { kind, state } of endsOf(events)) metrics.completed(kind ?? '', state ?? '');
    },
  };
}

function endOf(condition: Condition): ConditionEnd | undefined {
  const { id, unit, kind, parameters, state, createdAt, finalizedAt, updatedAt, reason } = condition;
  const serverId = machineIdOf(condition.target);
  if (serverId === undefined) return undefined;
  const why: JsonObject = reason === undefined ? {} : { reason: { code: reason.code, message: reason.message } };
  const status = { ...condition.status, ...why };
  return {
    id,
    unit,
    kind,
    serverId,
    parameters: redact(parameters) as JsonObject,
    state,
    status,
    startedAt: createdAt,
    endedAt: finalizedAt ?? updatedAt,
  };
}
