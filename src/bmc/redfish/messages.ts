import type { JsonObject } from '../json.ts';
import { asText, firstTextIn, listIn, objectIn, objectsIn, textIn } from './read.ts';

/** A message as tasks, settings and errors carry it. */
export interface RedfishMessage {
  /** `Base.1.8.PropertyValueNotInList`; empty where the BMC gave none. */
  readonly id: string;
  readonly text: string;
  readonly args: readonly string[];
  readonly severity: string | undefined;
}

/** The messages in a member that is a list of messages, or a single one. */
export function messagesIn(body: JsonObject, name: string): readonly RedfishMessage[] {
  return objectsIn(body, name).map((message) => ({
    id: firstTextIn(message, 'MessageId', 'MessageID') ?? '',
    text: textIn(message, 'Message') ?? '',
    args: listIn(message, 'MessageArgs').map((arg) => asText(arg) ?? ''),
    severity: firstTextIn(message, 'MessageSeverity', 'Severity'),
  }));
}

/** The extended info of an answer: of an error, or beside the answer itself. */
export function extendedInfoIn(body: JsonObject): readonly RedfishMessage[] {
  return [
    ...messagesIn(objectIn(body, 'error'), '@Message.ExtendedInfo'),
    ...messagesIn(body, '@Message.ExtendedInfo'),
  ];
}

/** The last part of a message id, which means the same in every version of a registry. */
export function messageKey(id: string): string {
  return id.slice(id.lastIndexOf('.') + 1);
}
