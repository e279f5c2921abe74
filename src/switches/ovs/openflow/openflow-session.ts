import type { Socket } from 'node:net';
import { done, type SwitchFailure, type SwitchResult } from '../../switch-result.ts';
import { decodeFlowChanges, encodeFlowMonitor, type FlowChanges, flowMonitorType } from './flow-monitor.ts';
import { createMessageCutter, encodeMessage, messageType, type OpenflowMessage, openflowVersion } from './wire.ts';

/** A message to send; a body that has to know the number of its message is made when that is known. */
export interface OutgoingMessage {
  readonly type: number;
  readonly body: Buffer | ((xid: number) => Buffer);
}

/** One line to the OpenFlow side of a bridge. */
export interface OpenflowSession {
  /** Sends messages and waits until the switch has worked them off; an error that one of them meets is the result. */
  send(messages: readonly OutgoingMessage[], signal: AbortSignal): Promise<SwitchResult<undefined>>;
  /** Changes flows all or none. */
  bundle(flowMods: readonly Buffer[], signal: AbortSignal): Promise<SwitchResult<undefined>>;
  /** Asks for something that may come in parts. */
  multipart(type: number, body: Buffer, signal: AbortSignal): Promise<SwitchResult<Buffer>>;
  /** Tells which flows other connections change, to the listener given last; `refused` by a switch that cannot. */
  monitorFlows(listener: (changes: FlowChanges) => void, signal: AbortSignal): Promise<SwitchResult<undefined>>;
  onEnd(listener: () => void): void;
  readonly isOpen: boolean;
  close(): void;
}

interface Waiting {
  readonly isLast: (message: OpenflowMessage) => boolean;
  readonly parts: OpenflowMessage[];
  readonly leave: (result: SwitchResult<readonly OpenflowMessage[]>) => void;
}

const bundleTypes = { open: 0, commit: 4 } as const;
const bundleFlags = 3;

/** Greets the switch; fails when it does not speak OpenFlow 1.4. */
export async function startOpenflowSession(
  socket: Socket,
  title: string,
  signal: AbortSignal,
): Promise<SwitchResult<OpenflowSession>> {
  const session = new Session(socket, title);
  const greeted = await session.greet(signal);
  if (greeted.kind === 'done') return done(session);
  session.close();
  return greeted;
}

class Session implements OpenflowSession {
  readonly #socket: Socket;
  readonly #title: string;
  readonly #cut = createMessageCutter();
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended = new Set<() => void>();
  #onFlowChanges: ((changes: FlowChanges) => void) | undefined;
  #nextXid = 1;
  #nextBundle = 1;
  #greeting: ((result: SwitchResult<undefined>) => void) | undefined;
  isOpen = true;

  constructor(socket: Socket, title: string) {
    this.#socket = socket;
    this.#title = title;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('close', () => this.#end('the line was closed'));
    socket.on('error', (error: NodeJS.ErrnoException) => this.#end(error.code ?? error.message));
  }

  greet(signal: AbortSignal): Promise<SwitchResult<undefined>> {
    return new Promise((resolve) => {
      const give = (): void => resolve({ kind: 'cancelled', message: `greeting ${this.#title} was given up` });
      signal.addEventListener('abort', give, { once: true });
      this.#greeting = (result) => {
        signal.removeEventListener('abort', give);
        resolve(result);
      };
      this.#socket.write(encodeMessage(messageType.hello, 0));
    });
  }

  onEnd(listener: () => void): void {
    this.#ended.add(listener);
  }

  async send(messages: readonly OutgoingMessage[], signal: AbortSignal): Promise<SwitchResult<undefined>> {
    const xids = messages.map(() => this.#nextXid++);
    // Errors come under the number of the message that met them, before the barrier is answered.
    const errors = new Map<number, SwitchFailure>();
    for (const [index, xid] of xids.entries()) {
      this.#waiting.set(xid, {
        isLast: () => false,
        parts: [],
        leave: (result) => result.kind !== 'done' && errors.set(xid, result),
      });
      const message = messages[index];
      if (message === undefined) continue;
      const body = typeof message.body === 'function' ? message.body(xid) : message.body;
      this.#socket.write(encodeMessage(message.type, xid, body));
    }
    const barrier = await this.#ask(
      {
        type: messageType.barrierRequest,
        body: Buffer.alloc(0),
        isLast: ({ type }) => type === messageType.barrierReply,
      },
      signal,
    );
    for (const xid of xids) this.#waiting.delete(xid);
    const [failure] = errors.values();
    return failure ?? (barrier.kind === 'done' ? done(undefined) : barrier);
  }

  async bundle(flowMods: readonly Buffer[], signal: AbortSignal): Promise<SwitchResult<undefined>> {
    const id = this.#nextBundle++;
    const opened = await this.#control(id, bundleTypes.open, signal);
    if (opened.kind !== 'done') return opened;
    const added = await this.send(
      flowMods.map((flowMod) => ({
        type: messageType.bundleAddMessage,
        body: (xid: number) => addToBundle({ id, xid }, flowMod),
      })),
      signal,
    );
    if (added.kind !== 'done') return added;
    return this.#control(id, bundleTypes.commit, signal);
  }

  async #control(id: number, type: number, signal: AbortSignal): Promise<SwitchResult<undefined>> {
    const body = Buffer.alloc(8);
    body.writeUInt32BE(id, 0);
    body.writeUInt16BE(type, 4);
    body.writeUInt16BE(bundleFlags, 6);
    const answer = await this.#ask(
      { type: messageType.bundleControl, body, isLast: (message) => message.type === messageType.bundleControl },
      signal,
    );
    return answer.kind === 'done' ? done(undefined) : answer;
  }

  async multipart(type: number, body: Buffer, signal: AbortSignal): Promise<SwitchResult<Buffer>> {
    const hasMore = 1;
    const answer = await this.#ask(
      {
        type: messageType.multipartRequest,
        body: multipartRequest(type, body),
        isLast: (message) =>
          message.type === messageType.multipartReply && (message.body.readUInt16BE(2) & hasMore) === 0,
      },
      signal,
    );
    return answer.kind === 'done' ? done(Buffer.concat(answer.value.map((part) => part.body.subarray(8)))) : answer;
  }

  async monitorFlows(listener: (changes: FlowChanges) => void, signal: AbortSignal): Promise<SwitchResult<undefined>> {
    this.#onFlowChanges = listener;
    const ask = (command: 'add' | 'delete') => ({
      type: messageType.multipartRequest,
      body: multipartRequest(flowMonitorType, encodeFlowMonitor(command)),
    });
    // The monitor of an earlier watch; that there is none is an error.
    await this.send([ask('delete')], signal);
    return this.send([ask('add')], signal);
  }

  close(): void {
    this.#end('closed by us');
  }

  #ask(
    request: { readonly type: number; readonly body: Buffer; readonly isLast: Waiting['isLast'] },
    signal: AbortSignal,
  ): Promise<SwitchResult<readonly OpenflowMessage[]>> {
    return new Promise((resolve) => {
      if (!this.isOpen) return resolve(this.#gone('the line is closed'));
      const xid = this.#nextXid++;
      const leave = (result: SwitchResult<readonly OpenflowMessage[]>): void => {
        this.#waiting.delete(xid);
        signal.removeEventListener('abort', give);
        resolve(result);
      };
      const give = (): void => leave({ kind: 'cancelled', message: `asking ${this.#title} was given up` });
      if (signal.aborted) return give();
      signal.addEventListener('abort', give, { once: true });
      this.#waiting.set(xid, { isLast: request.isLast, parts: [], leave });
      this.#socket.write(encodeMessage(request.type, xid, request.body));
    });
  }

  #take(chunk: Buffer): void {
    try {
      for (const message of this.#cut(chunk)) this.#read(message);
    } catch (error) {
      this.#end(`it does not speak OpenFlow: ${error instanceof Error ? error.message : 'unreadable'}`);
    }
  }

  #read(message: OpenflowMessage): void {
    const { type, xid, version } = message;
    const waiting = this.#waiting.get(xid);
    if (type === messageType.hello) this.#greeted(version);
    else if (type === messageType.error) this.#fail(message, waiting);
    else if (type === messageType.echoRequest)
      this.#socket.write(encodeMessage(messageType.echoReply, xid, message.body));
    else if (type === messageType.multipartReply && message.body.readUInt16BE(0) === flowMonitorType)
      this.#onFlowChanges?.(decodeFlowChanges(message.body.subarray(8)));
    else {
      waiting?.parts.push(message);
      if (waiting?.isLast(message)) waiting.leave(done(waiting.parts));
    }
  }

  #greeted(version: number): void {
    const failure: SwitchFailure = {
      kind: 'refused',
      message: `${this.#title} speaks no OpenFlow 1.4; allow it with the column protocols of the bridge`,
    };
    this.#greeting?.(version >= openflowVersion ? done(undefined) : failure);
    this.#greeting = undefined;
  }

  #fail({ body }: OpenflowMessage, waiting: Waiting | undefined): void {
    const words = `error ${body.readUInt16BE(0)}/${body.readUInt16BE(2)}`;
    const failure: SwitchFailure = { kind: 'refused', message: `${this.#title} answered with OpenFlow ${words}` };
    if (this.#greeting !== undefined) this.#greeting(failure);
    waiting?.leave(failure);
  }

  #gone(why: string): SwitchFailure {
    return { kind: 'unreachable', message: `the line to ${this.#title} was lost: ${why}` };
  }

  #end(why: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#socket.destroy();
    this.#greeting?.(this.#gone(why));
    for (const { leave } of [...this.#waiting.values()]) leave(this.#gone(why));
    for (const listener of this.#ended) listener();
  }
}

function multipartRequest(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(type, 0);
  return Buffer.concat([head, body]);
}

/** A message in a bundle carries the number of the message that adds it. */
function addToBundle({ id, xid }: { readonly id: number; readonly xid: number }, flowMod: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(id, 0);
  head.writeUInt16BE(bundleFlags, 6);
  return Buffer.concat([head, encodeMessage(messageType.flowMod, xid, flowMod)]);
}
