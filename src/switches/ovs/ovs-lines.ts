import type { Clock } from '../../kube/index.ts';
import { done, type SwitchResult } from '../switch-result.ts';
import { type DialTarget, dial } from './line/dial.ts';
import { formatRemote } from './line/remote.ts';
import { type OpenflowSession, startOpenflowSession } from './openflow/index.ts';
import { type OvsdbSession, startOvsdbSession } from './ovsdb/index.ts';

/** The two lines to a bridge, opened when they are needed and kept. */
export interface OvsLines {
  ovsdb(signal: AbortSignal): Promise<SwitchResult<OvsdbSession>>;
  /** Undefined when no OpenFlow address is known. */
  openflow(signal: AbortSignal): Promise<SwitchResult<OpenflowSession> | undefined>;
  readonly hasOpenflow: boolean;
  close(): void;
}

/** Where the lines go. */
export interface OvsLinesOptions {
  readonly clock: Clock;
  readonly ovsdb: DialTarget;
  readonly openflow?: DialTarget | undefined;
  readonly probeMs: number;
}

interface Session {
  readonly isOpen: boolean;
  close(): void;
}

/** Keeps one session and opens it anew when it was lost; those who ask meanwhile wait for the same attempt. */
function keepOne<T extends Session>(open: (signal: AbortSignal) => Promise<SwitchResult<T>>) {
  let current: T | undefined;
  let opening: Promise<SwitchResult<T>> | undefined;
  let isClosed = false;
  const begin = async (signal: AbortSignal): Promise<SwitchResult<T>> => {
    const result = await open(signal);
    opening = undefined;
    if (result.kind === 'done') {
      if (isClosed) result.value.close();
      else current = result.value;
    }
    return result;
  };
  return {
    async get(signal: AbortSignal): Promise<SwitchResult<T>> {
      if (current?.isOpen) return done(current);
      opening ??= begin(signal);
      const result = await opening;
      // Whoever began the attempt gave up; that is no reason for us.
      return result.kind === 'cancelled' && !signal.aborted ? this.get(signal) : result;
    },
    close(): void {
      isClosed = true;
      current?.close();
    },
  };
}

/** Makes lines that nobody has dialled yet. */
export function createOvsLines({ clock, ovsdb, openflow, probeMs }: OvsLinesOptions): OvsLines {
  const database = keepOne<OvsdbSession>(async (signal) => {
    const socket = await dial(ovsdb, signal);
    const title = formatRemote(ovsdb.remote);
    return socket.kind === 'done' ? done(startOvsdbSession(socket.value, { clock, probeMs, title })) : socket;
  });
  const flows =
    openflow === undefined
      ? undefined
      : keepOne<OpenflowSession>(async (signal) => {
          const socket = await dial(openflow, signal);
          if (socket.kind !== 'done') return socket;
          return startOpenflowSession(socket.value, formatRemote(openflow.remote), signal);
        });
  return {
    ovsdb: (signal) => database.get(signal),
    openflow: async (signal) => flows?.get(signal),
    hasOpenflow: flows !== undefined,
    close() {
      database.close();
      flows?.close();
    },
  };
}
