import {
  type Condition,
  type Engine,
  type EngineEvent,
  type JsonObject,
  type JsonValue,
  machineIdOf,
  StoreError,
} from '../../engine/index.ts';
import { isInventoryError } from '../../serverservice/index.ts';
import { type Logger, redact } from '../../telemetry/index.ts';
import type { OrcMetrics } from '../orc-metrics.ts';
import type { ConditionEnd, InventoryPort } from '../ports/inventory.ts';
import type { EventFollower } from './follow-events.ts';

/**
 * Writes ends of conditions into the history of their servers, at least once each. What the history can never take is
 * told and passed: the ends of all other servers come after it.
 */
export function createEndRecorder(parts: {
  readonly engine: Pick<Engine, 'get'>;
  readonly inventory: Pick<InventoryPort, 'recordEnd'> | undefined;
  readonly metrics: Pick<OrcMetrics, 'completed' | 'endRefused' | 'watchDependency'>;
  readonly logger: Logger;
}): EventFollower {
  const { engine, inventory, metrics, logger } = parts;
  const endsOf = (events: readonly EngineEvent[]) => events.filter(({ event }) => event === 'finalized');
  return {
    name: 'ends',
    async before(events) {
      if (inventory === undefined) return;
      for (const { conditionId } of endsOf(events)) {
        const condition = conditionId === undefined ? undefined : await engine.get(conditionId);
        const end = condition === undefined ? undefined : endOf(condition);
        if (end === undefined) continue;
        await metrics
          .watchDependency('serverservice', 'recordEnd', inventory.recordEnd(end))
          .catch((error: unknown) => {
            if (!canNeverBeStored(error)) throw error;
            metrics.endRefused(end.kind);
            logger.error('an end is missing in the history, which cannot take it', { condition: end.id, error });
          });
      }
    },
    after(events) {
      for (const { kind, state } of endsOf(events)) metrics.completed(kind ?? '', state ?? '');
    },
  };
}

function canNeverBeStored(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === 'badValue' || error.code === 'constraint';
  return isInventoryError(error, 'badValue');
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
    parameters: storable(redact(parameters) as JsonObject) as JsonObject,
    state,
    status: storable(status) as JsonObject,
    startedAt: createdAt,
    endedAt: finalizedAt ?? updatedAt,
  };
}

const maxDepth = 32;

/**
 * What the history takes: it has no place for NUL, halves of surrogate pairs and endless nesting, and an end is not lost
 * for a letter that a BMC or an agent sent.
 */
function storable(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1));
  const members = Object.entries(value).map(([name, member]) => [storableText(name), storable(member, depth + 1)]);
  return Object.fromEntries(members) as JsonObject;
}

function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
