/** A port as OpenFlow tells it. */
export interface OpenflowPort {
  readonly ofport: number;
  readonly name: string;
  readonly hardwareAddress: Buffer;
  readonly isDown: boolean;
}

const portDown = 1;

/** Reads the answer to a request for port descriptions. */
export function decodePorts(body: Buffer): OpenflowPort[] {
  const ports: OpenflowPort[] = [];
  for (let at = 0; at + 40 <= body.length; ) {
    const length = body.readUInt16BE(at + 4);
    if (length < 40) throw new Error(`a port of ${length} bytes`);
    const name = body.subarray(at + 16, at + 32);
    ports.push({
      ofport: body.readUInt32BE(at),
      hardwareAddress: Buffer.from(body.subarray(at + 8, at + 14)),
      name: name.toString('latin1').replace(/\0.*$/s, ''),
      isDown: (body.readUInt32BE(at + 32) & portDown) !== 0,
    });
    at += length;
  }
  return ports;
}

/** The body of a message that shuts a port down or opens it. */
export function encodePortMod(port: OpenflowPort, wanted: { readonly isDown: boolean }): Buffer {
  const body = Buffer.alloc(24);
  body.writeUInt32BE(port.ofport, 0);
  port.hardwareAddress.copy(body, 8);
  body.writeUInt32BE(wanted.isDown ? portDown : 0, 16);
  body.writeUInt32BE(portDown, 20);
  return body;
}
