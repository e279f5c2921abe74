import type { Socket } from 'node:net';
import { flowMonitorType } from '../openflow/flow-monitor.ts';
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

const events = { added: 1, removed: 2, abbreviated: 4, resumed: 6 } as const;
const unknownMonitor = { type: 16, code: 0 } as const;
const unknownMultipart = { type: 1, code: 2 } as const;

/** The OpenFlow side of a make-believe bridge: ports that can be shut down, and one table of flows. */
export class FakeFlowTable {
  flows: StoredFlow[] = [];
  readonly down = new Set<number>();
  readonly #ports: readonly string[];
  readonly #lines = new Set<Socket>();
  readonly #monitors = new Set<Socket>();
  /** False for a switch that is too old to monitor flows. */
  hasMonitors = true;

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
    socket.on('close', () => {
      this.#lines.delete(socket);
      this.#monitors.delete(socket);
    });
    socket.on('error', () => undefined);
    socket.write(encodeMessage(messageType.hello, 0));
    socket.on('data', (chunk) => {
      for (const message of cut(chunk)) this.#answer(socket, message, bundles);
    });
  }

  /** Takes away the flows that are chosen, as somebody else would. */
  takeAway(isChosen: (flow: StoredFlow) => boolean): void {
    const gone = this.flows.filter(isChosen);
    this.flows = this.flows.filter((flow) => !isChosen(flow));
    this.#tell(
      undefined,
      gone.map((flow) => fullUpdate(events.removed, flow)),
    );
  }

  /** Adds a flow as somebody else would. */
  putIn(flow: StoredFlow): void {
    this.flows.push(flow);
    this.#tell(undefined, [fullUpdate(events.added, flow)]);
  }

  /** Tells that changes were dropped for want of room, and that they are told again. */
  resume(): void {
    this.#tell(undefined, [shortUpdate(events.resumed)]);
  }

  /** Whoever made a change is told that there was one. */
  #tell(author: Socket | undefined, updates: readonly Buffer[]): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(flowMonitorType, 0);
    for (const line of this.#monitors) {
      const told = line === author ? [shortUpdate(events.abbreviated)] : updates;
      line.write(encodeMessage(messageType.multipartReply, 0, Buffer.concat([head, ...told])));
    }
  }

  #monitor(socket: Socket, { xid, body }: Pick<OpenflowMessage, 'xid' | 'body'>): void {
    const isDeletion = body.readUInt8(8 + 15) === 2;
    const isKnown = this.#monitors.has(socket);
    if (this.hasMonitors && isDeletion === isKnown) {
      if (isDeletion) this.#monitors.delete(socket);
      else this.#monitors.add(socket);
      socket.write(encodeMessage(messageType.multipartReply, xid, body.subarray(0, 8)));
      return;
    }
    const { type, code } = this.hasMonitors ? unknownMonitor : unknownMultipart;
    const error = Buffer.alloc(4);
    error.writeUInt16BE(type, 0);
    error.writeUInt16BE(code, 2);
    socket.write(encodeMessage(messageType.error, xid, error));
  }

  #answer(socket: Socket, { type, xid, body }: OpenflowMessage, bundles: Map<number, Bundle>): void {
    if (type === messageType.barrierRequest) socket.write(encodeMessage(messageType.barrierReply, xid));
    else if (type === messageType.portMod) this.#turn(body);
    else if (type === messageType.multipartRequest && body.readUInt16BE(0) === flowMonitorType)
      this.#monitor(socket, { xid, body });
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
    else for (const mod of bundles.get(body.readUInt32BE(0))?.mods ?? []) this.#change(socket, mod);
    const reply = Buffer.from(body);
    reply.writeUInt16BE(kind + 1, 4);
    socket.write(encodeMessage(messageType.bundleControl, xid, reply));
  }

  #change(author: Socket, mod: Buffer): void {
    const cookie = mod.readBigUInt64BE(0);
    const mask = mod.readBigUInt64BE(8);
    const length = mod.readUInt16BE(42);
    const padded = Math.ceil(length / 8) * 8;
    const match = Buffer.from(mod.subarray(40, 40 + padded));
    const isDeletion = mod.readUInt8(17) === 3;
    if (!isDeletion) {
      const instructions = Buffer.from(mod.subarray(40 + padded));
      const flow = { cookie, priority: mod.readUInt16BE(22), match, instructions };
      this.flows.push(flow);
      this.#tell(author, [fullUpdate(events.added, flow)]);
      return;
    }
    // A deletion names the port as its only field, so the flows of that port begin with the same field.
    const field = match.subarray(4, length);
    const isMeant = (flow: StoredFlow): boolean =>
      (flow.cookie & mask) === (cookie & mask) && flow.match.subarray(4, length).equals(field);
    const gone = this.flows.filter(isMeant);
    this.flows = this.flows.filter((flow) => !isMeant(flow));
    this.#tell(
      author,
      gone.map((flow) => fullUpdate(events.removed, flow)),
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

function shortUpdate(event: number): Buffer {
  const update = Buffer.alloc(8);
  update.writeUInt16BE(update.length, 0);
  update.writeUInt16BE(event, 2);
  return update;
}

function fullUpdate(event: number, { cookie, priority, match }: StoredFlow): Buffer {
  const head = Buffer.alloc(24);
  head.writeUInt16BE(head.length + match.length, 0);
  head.writeUInt16BE(event, 2);
  head.writeUInt16BE(priority, 10);
  head.writeBigUInt64BE(cookie, 16);
  return Buffer.concat([head, match]);
}

function flowEntry({ cookie, priority, match, instructions }: StoredFlow): Buffer {
  const head = Buffer.alloc(48);
  head.writeUInt16BE(48 + match.length + instructions.length, 0);
  head.writeUInt16BE(priority, 12);
  head.writeBigUInt64BE(cookie, 24);
  return Buffer.concat([head, match, instructions]);
}
