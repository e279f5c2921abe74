import { type EngineEvent, type JsonObject, type JsonValue, machineIdOf } from '../../engine/index.ts';
import { redact, redactText } from '../../telemetry/index.ts';

/** Why operators are told. */
export const noticeTypes = ['WorkerLost', 'WorkTakenAway', 'WorkGivenUp'] as const;

/** Why operators are told. */
export type NoticeType = (typeof noticeTypes)[number];

/** Something that operators are told of. Secrets were taken out. */
export interface Notice {
  /** The number of the engine's event: the same notice twice has the same one. */
  readonly seq: number;
  readonly at: number;
  readonly type: NoticeType;
  readonly controller: string;
  readonly message: string;
  /** What the controller was doing: condition, kind, target, state, status, whether it was flashing. */
  readonly doing: readonly JsonObject[];
}

/** What operators are told about an event; undefined for what is in order. */
export function decideNotice(event: EngineEvent): Notice | undefined {
  const decided = decide(event);
  if (decided === undefined) return undefined;
  const { seq, at } = event;
  const doing = decided.doing.map((one) => redact(one) as JsonObject);
  return { seq, at, ...decided, message: redactText(decided.message), doing };
}

function decide(event: EngineEvent): Omit<Notice, 'seq' | 'at'> | undefined {
  const controller = textOf(event.detail.controller) ?? 'a worker';
  if (event.event === 'worker-lost') return workerLost(event, controller);
  if (event.event === 'lease-expired') {
    const why = textOf(event.detail.why) ?? 'its lease ended';
    const message = `${nameOf(event)} was taken away from ${controller}: ${why}; another worker goes on with it`;
    return { type: 'WorkTakenAway', controller, message, doing: [doingOf(event)] };
  }
  const reason = event.detail.reason as { readonly code?: JsonValue; readonly message?: JsonValue } | null | undefined;
  if (event.event !== 'finalized' || reason?.code !== 'Unrunnable') return undefined;
  const message = `${nameOf(event)} was given up: ${textOf(reason.message) ?? 'no reason was given'}`;
  return { type: 'WorkGivenUp', controller, message, doing: [doingOf(event)] };
}

function workerLost(event: EngineEvent, controller: string): Omit<Notice, 'seq' | 'at'> {
  const doing = Array.isArray(event.detail.doing) ? event.detail.doing.filter(isObject).map(withServer) : [];
  const works = doing.map((one) => {
    const flash = one.wasFlashing === true ? ', in the middle of a flash' : '';
    return `${String(one.kind)} on ${String(one.server ?? one.target)}${flash}`;
  });
  const shown = works.slice(0, 10).join('; ');
  const more = works.length > 10 ? ` and ${works.length - 10} more` : '';
  const what = works.length === 0 ? 'it had no work' : `it was doing: ${shown}${more}`;
  return { type: 'WorkerLost', controller, message: `${controller} went silent without leaving; ${what}`, doing };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withServer(one: JsonObject): JsonObject {
  const server = machineIdOf(String(one.target));
  return server === undefined ? one : { ...one, server };
}

function doingOf(event: EngineEvent): JsonObject {
  return withServer({
    conditionId: event.conditionId ?? null,
    kind: event.kind ?? null,
    target: event.target ?? null,
    state: event.state ?? null,
    status: event.detail.status ?? {},
  });
}

function nameOf(event: EngineEvent): string {
  return `${event.kind ?? 'work'} ${event.conditionId ?? ''} on ${event.target ?? 'nothing'}`;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
