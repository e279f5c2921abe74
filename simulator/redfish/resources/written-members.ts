import type { JsonObject, JsonValue } from '../route.ts';
import type { MessageOrder } from './errors.ts';
import { isObject } from './render.ts';

/** Takes a member's new value, or says what is wrong with it. */
export type MemberWriter = (value: JsonValue) => MessageOrder | undefined;

/**
 * Gives each member of a PATCH to its writer and collects what is wrong. Members that clients echo (`@odata...`, Id,
 * Name) are passed over; others without a writer are refused.
 */
export function writeMembers(body: JsonObject, writers: Readonly<Record<string, MemberWriter>>): MessageOrder[] {
  const complaints: MessageOrder[] = [];
  for (const [member, value] of Object.entries(body)) {
    if (value === undefined || isEchoed(member)) continue;
    const writer = Object.hasOwn(writers, member) ? writers[member] : undefined;
    const complaint = writer === undefined ? unknownMember(member) : writer(value);
    if (complaint !== undefined) complaints.push(complaint);
  }
  return complaints;
}

function isEchoed(member: string): boolean {
  return member.startsWith('@odata') || member.startsWith('@Redfish') || member === 'Id' || member === 'Name';
}

/** The complaint about a member that a resource does not have. */
export function unknownMember(member: string): MessageOrder {
  return { messageId: 'PropertyUnknown', args: [member], related: [`#/${member}`] };
}

/** The complaint about a member that cannot be written. */
export function readOnlyMember(member: string): MessageOrder {
  return { messageId: 'PropertyNotWritable', args: [member], related: [`#/${member}`] };
}

/** The complaint about a value that is not among those allowed. */
export function notInList(member: string, value: JsonValue | undefined): MessageOrder {
  return { messageId: 'PropertyValueNotInList', args: [say(value), member], related: [`#/${member}`] };
}

/** The complaint about a value of another type. */
export function wrongType(member: string, value: JsonValue | undefined): MessageOrder {
  return { messageId: 'PropertyValueTypeError', args: [say(value), member], related: [`#/${member}`] };
}

/** The complaint about a value that is not written as it should be. */
export function wrongFormat(member: string, value: JsonValue | undefined): MessageOrder {
  return { messageId: 'PropertyValueFormatError', args: [say(value), member], related: [`#/${member}`] };
}

/** A value as the argument of a message. */
export function say(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}
