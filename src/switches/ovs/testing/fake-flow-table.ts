import type { Socket } from 'node:net';
import { createMessageCutter, encodeMessage, messageType, type OpenflowMessage } from '../openflow/wire.ts';

interface StoredFlow {
  readonly cookie: bigint;
  readonly priority: number;
  /** The match and the instructions as they were sent. */
  readonly match: Buffer;
  readonly instructions: Buffer;
}

interface Bundle {
  readonly mods: Buffer[];
}

/** The OpenFlow side of a make-believe bridge: ports that can be shut down, and one table of flows. */
export class FakeFlowTable {
  flows: StoredFlow[] = [];
  readonly down = new Set<number>();
  readonly #ports: readonly string[];
  readonly #lines = new Set<Socket>();

  constructor(ports: readonly string[]) {
    this.#ports = ports;
  }

  restart(): void {
    this.flows = [];
    for (const line of this.#lines) line.destroy();
  }

  serve(socket: Socket): void {
    const cut = createMessageCutter();
    const bundles = new Map<number, Bundle>();
    this.#lines.add(socket);
    socket.on('close', () => this.#lines.delete(socket));
    socket.on('error', () => undefined);
    socket.write(encodeMessage(messageType.hello, 0));
    socket.on('data', (chunk) => {
      for (const message of cut(chunk)) this.#answer(socket, message, bundles);
    });
  }

  #answer(socket: Socket, { type, xid, body }: OpenflowMessage, bundles: Map<number, Bundle>): void {
    if (type === messageType.barrierRequest) socket.write(encodeMessage(messageType.barrierReply, xid));
    else if (type === messageType.portMod) this.#turn(body);
    else if (type === messageType.multipartRequest)
      socket.write(encodeMessage(messageType.multipartReply, xid, this.#describe(body)));
    else if (type === messageType.bundleAddMessage) bundles.get(body.readUInt32BE(0))?.mods.push(body.subarray(16));
    else if (type === messageType.bundleControl) this.#control(socket, { xid, body }, bundles);
  }

  #turn(body: Buffer): void {
    const port = body.readUInt32BE(0);
    if (body.readUInt32BE(16) === 1) this.down.add(port);
    else this.down.delete(port);
  }

  #control(socket: Socket, { xid, body }: Pick<OpenflowMessage, 'xid' | 'body'>, bundles: Map<number, Bundle>): void {
    const kind = body.readUInt16BE(4);
    if (kind === 0) bundles.set(body.readUInt32BE(0), { mods: [] });
    else for (const mod of bundles.get(body.readUInt32BE(0))?.mods ?? []) this.#change(mod);
    const reply = Buffer.from(body);
    reply.writeUInt16BE(kind + 1, 4);
    socket.write(encodeMessage(messageType.bundleControl, xid, reply));
  }

  #change(mod: Buffer): void {
    const cookie = mod.readBigUInt64BE(0);
    const mask = mod.readBigUInt64BE(8);
    const length = mod.readUInt16BE(42);
    const padded = Math.ceil(length / 8) * 8;
    const match = Buffer.from(mod.subarray(40, 40 + padded));
    const isDeletion = mod.readUInt8(17) === 3;
    if (!isDeletion) {
      this.flows.push({
        cookie,
        priority: mod.readUInt16BE(22),
        match,
        instructions: Buffer.from(mod.subarray(40 + padded)),
      });
      return;
    }
    // A deletion names the port as its only field, so the flows of that port begin with the same field.
    const field = match.subarray(4, length);
    this.flows = this.flows.filter(
      (flow) => (flow.cookie & mask) !== (cookie & mask) || !flow.match.subarray(4, length).equals(field),
    );
  }

  #describe(request: Buffer): Buffer {
    const head = Buffer.from(request.subarray(0, 8));
    const body =
      request.readUInt16BE(0) === 13
        ? this.#ports.map((name, at) => this.#port(name, at + 1))
        : this.flows.map(flowEntry);
    return Buffer.concat([head, ...body]);
  }

  #port(name: string, number: number): Buffer {
    const entry = Buffer.alloc(40);
    entry.writeUInt32BE(number, 0);
    entry.writeUInt16BE(40, 4);
    entry.writeUInt8(number, 13);
    entry.write(name, 16, 'latin1');
    entry.writeUInt32BE(this.down.has(number) ? 1 : 0, 32);
    return entry;
  }
}

function flowEntry({ cookie, priority, match, instructions }: StoredFlow): Buffer {
  const head = Buffer.alloc(48);
  head.writeUInt16BE(48 + match.length + instructions.length, 0);
  head.writeUInt16BE(priority, 12);
  head.writeBigUInt64BE(cookie, 24);
  return Buffer.concat([head, match, instructions]);
}
