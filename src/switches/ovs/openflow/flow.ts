import { decodeMatch, encodeMatch, type Match } from './match.ts';

/** A flow of table 0 that either lets packets go their normal way or drops them. */
export interface Flow {
  readonly cookie: bigint;
  readonly priority: number;
  readonly match: Match;
  readonly isAllowed: boolean;
}

/** A flow as the switch tells it; what we would never write is not taken apart. */
export interface SeenFlow {
  readonly cookie: bigint;
  readonly priority: number;
  readonly match: Match | undefined;
  /** Undefined when it does neither let pass nor drop. */
  readonly isAllowed: boolean | undefined;
}

/** Marks our flows: the upper half of their cookies. */
export const ownCookie = 0x52414b5700000000n;

/** The half of a cookie that the mark is in. */
export const ownCookieMask = 0xffffffff00000000n;

const normalPort = 0xfffffffa;
const anyPort = 0xffffffff;
const noBuffer = 0xffffffff;
const commands = { add: 0, delete: 3 } as const;

/** The body of a message that adds a flow. */
export function encodeAddFlow(flow: Flow): Buffer {
  const head = flowModHead({ command: commands.add, cookie: flow.cookie, mask: 0n, priority: flow.priority });
  return Buffer.concat([head, encodeMatch(flow.match), flow.isAllowed ? normalInstruction() : Buffer.alloc(0)]);
}

/** The body of a message that deletes our flows that match, whatever their priority. */
export function encodeDeleteOwnFlows(match: Match): Buffer {
  const head = flowModHead({ command: commands.delete, cookie: ownCookie, mask: ownCookieMask, priority: 0 });
  return Buffer.concat([head, encodeMatch(match)]);
}

interface FlowModHead {
  readonly command: number;
  readonly cookie: bigint;
  readonly mask: bigint;
  readonly priority: number;
}

function flowModHead({ command, cookie, mask, priority }: FlowModHead): Buffer {
  const head = Buffer.alloc(40);
  head.writeBigUInt64BE(cookie, 0);
  head.writeBigUInt64BE(mask, 8);
  head.writeUInt8(0, 16);
  head.writeUInt8(command, 17);
  head.writeUInt16BE(priority, 22);
  head.writeUInt32BE(noBuffer, 24);
  head.writeUInt32BE(anyPort, 28);
  head.writeUInt32BE(anyPort, 32);
  return head;
}

/** Apply-actions with one output to the reserved port that means "as a switch does". */
function normalInstruction(): Buffer {
  const instruction = Buffer.alloc(24);
  instruction.writeUInt16BE(4, 0);
  instruction.writeUInt16BE(24, 2);
  instruction.writeUInt16BE(0, 8);
  instruction.writeUInt16BE(16, 10);
  instruction.writeUInt32BE(normalPort, 12);
  return instruction;
}

/** The body of a multipart request for our flows. */
export function encodeOwnFlowsRequest(): Buffer {
  const body = Buffer.alloc(32);
  body.writeUInt8(0, 0);
  body.writeUInt32BE(anyPort, 4);
  body.writeUInt32BE(anyPort, 8);
  body.writeBigUInt64BE(ownCookie, 16);
  body.writeBigUInt64BE(ownCookieMask, 24);
  return Buffer.concat([body, encodeMatch(new Map())]);
}

/** Reads the flows of one part of the answer. */
export function decodeFlows(body: Buffer): SeenFlow[] {
  const flows: SeenFlow[] = [];
  for (let at = 0; at + 48 <= body.length; ) {
    const length = body.readUInt16BE(at);
    if (length < 56 || at + length > body.length) throw new Error(`a flow of ${length} bytes`);
    const entry = body.subarray(at, at + length);
    const { match, bytes } = decodeMatch(entry.subarray(48));
    flows.push({
      cookie: entry.readBigUInt64BE(24),
      priority: entry.readUInt16BE(12),
      match,
      isAllowed: verdictOf(entry.subarray(48 + bytes)),
    });
    at += length;
  }
  return flows;
}

function verdictOf(instructions: Buffer): boolean | undefined {
  if (instructions.length === 0) return false;
  const normal = normalInstruction();
  // The length that a packet-in would have is told back as the switch likes it.
  const shown = Buffer.from(instructions);
  if (shown.length === normal.length) shown.writeUInt16BE(0, 16);
  return shown.equals(normal) ? true : undefined;
}
