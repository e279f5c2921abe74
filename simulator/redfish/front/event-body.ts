import type { MachineEvent } from '../../machine/machine.ts';
import type { JsonObject } from '../route.ts';

/** Events as the stream and the subscribers get them. */
export function eventBody(events: readonly MachineEvent[], context: string): JsonObject {
  return {
    '@odata.type': '#Event.v1_7_0.Event',
    Id: events[0]?.id ?? '0',
    Name: 'Event Array',
    Context: context,
    Events: events.map(recordOf),
    'Events@odata.count': events.length,
  };
}

function recordOf(event: MachineEvent): JsonObject {
  return {
    MemberId: event.id,
    EventId: event.id,
    EventType: event.messageId.startsWith('ResourceEvent.') ? 'ResourceUpdated' : 'Alert',
    EventTimestamp: new Date(event.at).toISOString(),
    MessageId: event.messageId,
    Message: event.message,
    MessageArgs: [],
    Severity: event.severity,
    MessageSeverity: event.severity,
    OriginOfCondition: { '@odata.id': event.origin },
  };
}
