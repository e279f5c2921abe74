import type { RedfishAnswer } from '../../route.ts';

/** The ids of the messages in an error body; none where there is no error. */
export function messageIds(answer: RedfishAnswer): string[] {
  const error = answer.body?.error as { '@Message.ExtendedInfo': { MessageId: string }[] } | undefined;
  return (error?.['@Message.ExtendedInfo'] ?? []).map((message) => message.MessageId);
}
