import type { JsonObject } from '../json.ts';
import { isJsonObject, linkIn, listIn, memberIn, textIn, timeIn } from '../redfish/index.ts';

/** That something may have changed. Events get lost and come late, so nobody may rely on one: look where it points. */
export interface EventHint {
  /** The resource it is about. */
  readonly origin: string | undefined;
  readonly messageId: string | undefined;
  /** When it happened by the BMC's clock, epoch milliseconds. */
  readonly at: number | undefined;
}

/** What a payload came to. */
export interface ParsedEvents {
  readonly hints: readonly EventHint[];
  /** Parts of it that were no events. */
  readonly malformed: number;
}

const mostEvents = 1000;

/** The events in a payload as a BMC pushes or streams it. Never throws. */
export function parseEvents(payload: unknown): ParsedEvents {
  if (!isJsonObject(payload)) return { hints: [], malformed: 1 };
  // Old BMCs send the one event bare.
  const isBare = memberIn(payload, 'Events') === undefined && memberIn(payload, 'MessageId') !== undefined;
  const parts = isBare ? [payload] : listIn(payload, 'Events').slice(0, mostEvents);
  const hints = parts.flatMap((part) => (isJsonObject(part) ? toHint(part) : []));
  const malformed = parts.length - hints.length;
  return { hints, malformed: parts.length === 0 && !isReport(payload) ? 1 : malformed };
}

/** Metric reports come down the same stream; they are fine, only not for us. */
function isReport(payload: JsonObject): boolean {
  return /MetricReport/.test(textIn(payload, '@odata.type') ?? '');
}

function toHint(event: JsonObject): readonly EventHint[] {
  const origin = linkIn(event, 'OriginOfCondition');
  const messageId = textIn(event, 'MessageId');
  if (origin === undefined && messageId === undefined) return [];
  return [{ origin, messageId, at: timeIn(event, 'EventTimestamp') }];
}
