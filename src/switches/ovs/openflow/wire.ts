/** The version spoken: OpenFlow 1.4, the first with bundles, so that an access list changes as a whole. */
export const openflowVersion = 5;

/** Types of messages that are used here. */
export const messageType = {
  hello: 0,
  error: 1,
  echoRequest: 2,
  echoReply: 3,
  flowMod: 14,
  portMod: 16,
  multipartRequest: 18,
  multipartReply: 19,
  barrierRequest: 20,
  barrierReply: 21,
  bundleControl: 33,
  bundleAddMessage: 34,
} as const;

/** One message, its header taken apart. */
export interface OpenflowMessage {
  readonly version: number;
  readonly type: number;
  readonly xid: number;
  readonly body: Buffer;
}

const headerBytes = 8;

/** Writes a message with its header. */
export function encodeMessage(type: number, xid: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(openflowVersion, 0);
  header.writeUInt8(type, 1);
  header.writeUInt16BE(headerBytes + body.length, 2);
  header.writeUInt32BE(xid, 4);
  return Buffer.concat([header, body]);
}

/** Cuts a stream into messages; throws when a length cannot be. */
export function createMessageCutter(): (chunk: Buffer) => OpenflowMessage[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const found: OpenflowMessage[] = [];
    while (rest.length >= headerBytes) {
      const length = rest.readUInt16BE(2);
      if (length < headerBytes) throw new Error(`a message of ${length} bytes`);
      if (rest.length < length) break;
      found.push({
        version: rest.readUInt8(0),
        type: rest.readUInt8(1),
        xid: rest.readUInt32BE(4),
        body: rest.subarray(headerBytes, length),
      });
      rest = rest.subarray(length);
    }
    return found;
  };
}
