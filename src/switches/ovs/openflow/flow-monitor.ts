import { aclPriorities } from './acl-flows.ts';
import { ownCookie, ownCookieMask } from './flow.ts';
import { decodeMatch, encodeMatch } from './match.ts';

/** The type of multipart messages about a flow monitor: requests, and what the switch sends by itself. */
export const flowMonitorType = 16;

const commands = { add: 0, delete: 2 } as const;
const events = { added: 1, removed: 2, modified: 3, abbreviated: 4, paused: 5, resumed: 6 } as const;
/** Additions, removals and modifications. Without "no abbreviation", changes of this connection name no flow. */
const monitorFlags = 2 | 4 | 8;
const monitorId = 1;
const aclTable = 0;
const anyPort = 0xffffffff;
const anyGroup = 0xffffffff;
const headerBytes = 8;
const fullBytes = 24;

/** The body of a multipart request that starts or ends the one monitor of a connection. */
export function encodeFlowMonitor(command: keyof typeof commands): Buffer {
  const body = Buffer.alloc(16);
  body.writeUInt32BE(monitorId, 0);
  body.writeUInt32BE(anyPort, 4);
  body.writeUInt32BE(anyGroup, 8);
  body.writeUInt16BE(monitorFlags, 12);
  body.writeUInt8(aclTable, 14);
  body.writeUInt8(commands[command], 15);
  return Buffer.concat([body, encodeMatch(new Map())]);
}

/** What changes of flows that another connection made mean for access lists. */
export interface FlowChanges {
  /** Numbers of the ports whose access lists may differ from what they were. */
  readonly ofports: readonly number[];
  /** True when the switch had more changes than it could send: any access list may differ. */
  readonly isIncomplete: boolean;
}

/** Reads one part of what the switch sends by itself. */
export function decodeFlowChanges(body: Buffer): FlowChanges {
  const ofports = new Set<number>();
  let isIncomplete = false;
  for (let at = 0; at < body.length; ) {
    const length = at + headerBytes <= body.length ? body.readUInt16BE(at) : 0;
    if (length < headerBytes || at + length > body.length) throw new Error(`a flow update of ${length} bytes`);
    const update = body.subarray(at, at + length);
    const event = update.readUInt16BE(2);
    if (event === events.resumed) isIncomplete = true;
    if (event === events.added || event === events.removed || event === events.modified) {
      const ofport = aclPortOf(update);
      if (ofport !== undefined) ofports.add(ofport);
    }
    at += length;
  }
  return { ofports: [...ofports], isIncomplete };
}

/** A flow that somebody puts in the place of ours has our priority and another cookie. */
function aclPortOf(update: Buffer): number | undefined {
  if (update.length < fullBytes + headerBytes) throw new Error(`a changed flow of ${update.length} bytes`);
  const priority = update.readUInt16BE(10);
  const isOwn = (update.readBigUInt64BE(16) & ownCookieMask) === ownCookie;
  if (!isOwn && (priority < aclPriorities.last || priority > aclPriorities.first)) return undefined;
  return decodeMatch(update.subarray(fullBytes)).match?.get('inPort')?.value.readUInt32BE();
}
