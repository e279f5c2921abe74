import type { JsonObject, JsonValue } from '../../engine/index.ts';
import type { Clock } from '../../kube/index.ts';

const mostRecords = 5;

/** The status of short work: what it does, and the last few things it said. */
export interface StepStatus {
  /** Says something; the same twice in a row is said once. */
  say(message: string): void;
  with(more?: Readonly<Record<string, JsonValue>>): JsonObject;
}

/** Goes on with the status that an earlier holder stored. */
export function createStepStatus(stored: JsonObject, clock: Clock): StepStatus {
  let records = Array.isArray(stored.records) ? (stored.records as { ts: string; msg: string }[]) : [];
  return {
    say(msg) {
      if (records.at(-1)?.msg === msg) return;
      records = [...records, { ts: new Date(clock.now()).toISOString(), msg }].slice(-mostRecords);
    },
    with: (more = {}) => ({
      message: records.at(-1)?.msg ?? '',
      records: records.map((each) => ({ ...each })),
      ...more,
    }),
  };
}
