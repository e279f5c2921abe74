import type { JsonObject, RedfishAnswer } from '../route.ts';
import {
  type BaseMessageKey,
  baseMessages,
  baseRegistry,
  fillTemplate,
  type MessageTemplate,
} from './base-messages.ts';

/** What to say about a refusal: by a key of the Base registry, or in a vendor's own words. */
export interface MessageOrder {
  /** A key such as `PropertyUnknown`, or a full id such as `IDRAC.2.8.SYS518`. */
  readonly messageId: BaseMessageKey | (string & {});
  /** The text; from the Base registry unless given. */
  readonly message?: string;
  readonly args?: readonly string[];
  /** JSON pointers of the members at fault: `#/Attributes/BootMode`. */
  readonly related?: readonly string[];
  readonly severity?: 'OK' | 'Warning' | 'Critical';
  readonly resolution?: string;
}

/** One element of `@Message.ExtendedInfo`, or of a task's or a settings object's Messages. */
export function makeMessage(order: MessageOrder): JsonObject {
  const args = order.args ?? [];
  const template: MessageTemplate | undefined = Object.hasOwn(baseMessages, order.messageId)
    ? baseMessages[order.messageId as BaseMessageKey]
    : undefined;
  const severity = order.severity ?? template?.severity ?? 'Warning';
  return {
    '@odata.type': '#Message.v1_1_1.Message',
    MessageId: template === undefined ? order.messageId : `${baseRegistry}.${order.messageId}`,
    Message: order.message ?? fillTemplate(template?.message ?? order.messageId, args),
    MessageArgs: [...args],
    'MessageArgs@odata.count': args.length,
    ...(order.related === undefined
      ? {}
      : { RelatedProperties: [...order.related], 'RelatedProperties@odata.count': order.related.length }),
    Severity: severity,
    MessageSeverity: severity,
    Resolution: order.resolution ?? template?.resolution ?? 'None.',
  };
}

/** A Redfish error body. Several messages come under the code GeneralError, as the specification wants. */
function makeErrorBody(orders: readonly MessageOrder[]): JsonObject {
  const messages = orders.map(makeMessage);
  const first = messages[0];
  const isSingle = messages.length === 1 && first !== undefined;
  return {
    error: {
      code: isSingle ? first.MessageId : `${baseRegistry}.GeneralError`,
      message: isSingle ? first.Message : baseMessages.GeneralError.message,
      '@Message.ExtendedInfo': messages,
    },
  };
}

/** An answer that says no, with one reason or several. */
export function refuse(status: number, reason: MessageOrder | readonly MessageOrder[]): RedfishAnswer {
  const orders: readonly MessageOrder[] = 'messageId' in reason ? [reason] : reason;
  return { status, body: makeErrorBody(orders) };
}

/** The answer to a request for what does not exist. */
export function refuseMissing(path: string): RedfishAnswer {
  return refuse(404, { messageId: 'ResourceMissingAtURI', args: [path] });
}

/** The answer to a method that a resource does not take. */
export function refuseMethod(allowed: readonly string[]): RedfishAnswer {
  return { ...refuse(405, { messageId: 'OperationNotAllowed' }), headers: { Allow: allowed.join(', ') } };
}

/** The answer to a change that was made and has nothing else to return. */
export function confirm(status = 200): RedfishAnswer {
  return { status, body: { '@Message.ExtendedInfo': [makeMessage({ messageId: 'Success' })] } };
}
