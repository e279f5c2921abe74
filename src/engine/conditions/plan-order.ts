import type { JsonObject } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import type { ConditionOrder, CreateOrder } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { canonicalJson } from '../json.ts';
import type { KindDefinition } from '../kinds.ts';
import { sealedJson, whyNotSealable } from './sealed-urls.ts';

/** One order whose kind is known and whose parameters can be used. */
export interface PlannedOrder {
  readonly definition: KindDefinition;
  readonly parameters: JsonObject;
  /** Equal texts mean equal parameters. */
  readonly parametersText: string;
  /** As they are stored. */
  readonly sealedText: string;
  readonly priority: number;
  readonly deadlineMs: number | undefined;
}

/** The longest text of parameters that is stored. */
const longestParameters = 1024 * 1024;

/** What is wrong with the numbers of an order. */
export function problemsOf(order: Pick<ConditionOrder, 'priority' | 'deadlineMs'>): string[] {
  const { priority = 0, deadlineMs } = order;
  const problems: string[] = [];
  if (!Number.isInteger(priority) || Math.abs(priority) > 1_000_000) {
    problems.push('priority must be a whole number from -1000000 to 1000000');
  }
  if (deadlineMs !== undefined && (!Number.isFinite(deadlineMs) || deadlineMs <= 0 || deadlineMs > 1e12)) {
    problems.push('deadlineMs must be a number of milliseconds above 0');
  }
  return problems;
}

function planOne(context: Pick<EngineContext, 'kinds' | 'sealer'>, order: ConditionOrder): PlannedOrder {
  const definition = context.kinds.find(order.kind);
  const { parameters, problems } = definition.check(order.parameters);
  const parametersText = canonicalJson(parameters);
  const all = [...problems, ...whyNotSealable(context.sealer, parameters), ...problemsOf(order)];
  if (parametersText.length > longestParameters) all.push(`they are longer than ${longestParameters} characters`);
  if (all.length > 0) throw new EngineError('badParameters', { kind: definition.kind }, { problems: all });
  return {
    definition: definition.isHarmless?.(parameters) === true ? { ...definition, isDisruptive: false } : definition,
    parameters,
    parametersText,
    sealedText: sealedJson(context, parametersText),
    priority: order.priority ?? 0,
    deadlineMs: order.deadlineMs ?? definition.deadlineMs,
  };
}

/** Checks an order before anything is read or stored. Throws `unknownKind`, `badParameters` or `badOrder`. */
export function planOrder(
  context: Pick<EngineContext, 'kinds' | 'sealer'>,
  order: CreateOrder,
): readonly PlannedOrder[] {
  const problems: string[] = [];
  if (order.target === '' || order.target.length > 512) problems.push('a target has 1 to 512 characters');
  if (order.orders.length === 0) problems.push('nothing is asked for');
  if (order.orders.length > 32) problems.push('more than 32 conditions in one unit');
  if (problems.length > 0) throw new EngineError('badOrder', { target: order.target }, { problems });
  const planned = order.orders.map((one) => planOne(context, one));
  const twice = planned.find(
    (one, index) => planned.findIndex((each) => each.definition.kind === one.definition.kind) !== index,
  );
  if (twice !== undefined) {
    const problem = `${twice.definition.kind} is asked for twice, and a target has one un-finalized condition of a kind`;
    throw new EngineError('badOrder', { target: order.target }, { problems: [problem] });
  }
  return planned;
}
