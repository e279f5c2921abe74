import { type BackoffOptions, backoffDelay, type Clock, type Random, sleep } from '../../kube/index.ts';
import type { SwitchEvent, SwitchWatch } from '../switch-device.ts';
import type { SwitchResult } from '../switch-result.ts';
import type { FlowChanges } from './openflow/index.ts';
import type { OvsLines } from './ovs-lines.ts';
import { numberOf, type OvsdbRow, type OvsdbSession, textOf } from './ovsdb/index.ts';

/** Watches one bridge as long as anybody listens. */
export interface OvsWatcher {
  readonly listeners: Set<(event: SwitchEvent) => void>;
  start(): void;
  close(): void;
}

/** What watching needs. */
export interface OvsWatcherOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly lines: OvsLines;
  readonly backoff: BackoffOptions;
}

const monitorId = 'rackwright';
const watched = {
  Port: ['name', 'tag', 'trunks', 'vlan_mode', 'protected', 'interfaces'],
  Interface: ['name', 'ofport', 'admin_state', 'link_state'],
} as const;

/** Makes a watcher that begins with its first listener. */
export function createOvsWatcher(options: OvsWatcherOptions): OvsWatcher {
  const listeners = new Set<(event: SwitchEvent) => void>();
  const closing = new AbortController();
  let isStarted = false;
  const tell = (event: SwitchEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  return {
    listeners,
    start() {
      if (isStarted) return;
      isStarted = true;
      void keepWatching(options, tell, closing.signal);
    },
    close() {
      closing.abort();
      listeners.clear();
    },
  };
}

/** Listens to a bridge; the first thing told is `restarted`, when the watch is in force. */
export function watchBridge(watcher: OvsWatcher, listener: (event: SwitchEvent) => void): SwitchWatch {
  watcher.listeners.add(listener);
  watcher.start();
  return { close: () => void watcher.listeners.delete(listener) };
}

async function keepWatching(
  { clock, random, lines, backoff }: OvsWatcherOptions,
  tell: (event: SwitchEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const watch = await beginWatch(lines, tell, signal);
    if (watch.kind === 'done') {
      failures = 0;
      tell({ kind: 'restarted' });
      const why = await watch.value;
      if (!signal.aborted) tell({ kind: 'lost', message: why });
    }
    failures += 1;
    if (!signal.aborted) await sleep(clock, backoffDelay(backoff, failures, random), signal);
  }
}

/** Asks for changes on both lines; the value settles when either of them is lost. */
async function beginWatch(
  lines: OvsLines,
  tell: (event: SwitchEvent) => void,
  signal: AbortSignal,
): Promise<SwitchResult<Promise<string>>> {
  const session = await lines.ovsdb(signal);
  if (session.kind !== 'done') return session;
  // ovs-vswitchd forgets its flows when it restarts, and the database shows nothing of it: its own line does.
  const openflow = await lines.openflow(signal);
  if (openflow !== undefined && openflow.kind !== 'done') return openflow;
  const { promise: lost, resolve } = Promise.withResolvers<string>();
  session.value.onEnd(resolve);
  openflow?.value.onEnd(() => resolve('the switch closed its OpenFlow line'));
  if (openflow?.value.isOpen === false) resolve('the switch closed its OpenFlow line');
  signal.addEventListener('abort', () => resolve('closed'), { once: true });
  const rows: KnownRows = new Map();
  session.value.onNotification((method, params) => {
    if (method === 'update' || method === 'update2') report(params, rows, tell);
  });
  const started = await monitor(session.value, signal);
  if (started.kind !== 'done') return started;
  remember(started.value, rows);
  const flows = await openflow?.value.monitorFlows((changes) => reportFlows(changes, rows, tell), signal);
  // A switch that monitors no flows is watched for the rest.
  if (flows !== undefined && flows.kind !== 'done' && flows.kind !== 'refused') return flows;
  return { kind: 'done', value: lost };
}

/** What is known of the rows of ports and interfaces, by their ids: updates tell changed columns only. */
type KnownRows = Map<string, KnownRow>;

interface KnownRow {
  readonly name?: string | undefined;
  readonly ofport?: number | undefined;
}

/** `monitor_cond` where there is one, else the `monitor` of the RFC. */
async function monitor(session: OvsdbSession, signal: AbortSignal): Promise<SwitchResult<unknown>> {
  await session.call('monitor_cancel', [monitorId], signal);
  const tables = Object.entries(watched);
  const conditional = Object.fromEntries(tables.map(([table, columns]) => [table, [{ columns }]]));
  const answer = await session.call('monitor_cond', ['Open_vSwitch', monitorId, conditional], signal);
  if (answer.kind !== 'refused') return answer;
  const plain = Object.fromEntries(tables.map(([table, columns]) => [table, { columns }]));
  return session.call('monitor', ['Open_vSwitch', monitorId, plain], signal);
}

/** Rows of an update by their ids; both forms of update put whole or changed rows one level down. */
function rowsOf(update: unknown): { readonly id: string; readonly columns: OvsdbRow }[] {
  return entriesOf(update).flatMap(([, rows]) =>
    entriesOf(rows).map(([id, change]) => {
      const bodies = entriesOf(change).filter(([form]) => form !== 'old');
      return { id, columns: Object.fromEntries(bodies.flatMap(([, body]) => entriesOf(body))) };
    }),
  );
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function remember(update: unknown, known: KnownRows): void {
  for (const { id, columns } of rowsOf(update)) {
    const { name, ofport } = known.get(id) ?? {};
    known.set(id, { name: textOf(columns.name) ?? name, ofport: numberOf(columns.ofport) ?? ofport });
  }
}

function report(params: readonly unknown[], known: KnownRows, tell: (event: SwitchEvent) => void): void {
  const [id, update] = params;
  if (id !== monitorId) return;
  remember(update, known);
  const ports = new Set(rowsOf(update).flatMap(({ id: row }) => known.get(row)?.name ?? []));
  if (ports.size > 0) tell({ kind: 'changed', ports: [...ports] });
}

/** Numbers count for one bridge; ports of others that have the same one are told too. */
function reportFlows(
  { ofports, isIncomplete }: FlowChanges,
  known: KnownRows,
  tell: (event: SwitchEvent) => void,
): void {
  if (isIncomplete) {
    tell({ kind: 'restarted' });
    return;
  }
  const rows = [...known.values()].filter(({ ofport }) => ofport !== undefined && ofports.includes(ofport));
  if (rows.length > 0) tell({ kind: 'changed', ports: rows.flatMap(({ name }) => name ?? []) });
}
