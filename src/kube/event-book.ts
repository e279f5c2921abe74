import type { Clock, Random } from './clock.ts';
import type { EventDraft, EventSubject } from './event-recorder.ts';
import type { KubeObject, ObjectKey } from './object.ts';

/** An event about to be written: created, or its count raised. */
export interface EventWrite {
  readonly key: ObjectKey;
  readonly isNew: boolean;
  readonly object: KubeObject;
  /** For an event that exists: what changed in it. */
  readonly change: object;
  /** To be called when it was written or given up: not before is the same event written again. */
  end(): void;
}

/** What became of an entry. */
export type EntryOutcome = 'queued' | 'merged' | 'thinned' | 'dropped';

/** Remembers what was told lately, so that repetition is counted and floods are thinned out. Does no I/O. */
export interface EventBook {
  enter(subject: EventSubject, draft: EventDraft): EntryOutcome;
  /** The next event to write. */
  next(): EventWrite | undefined;
  /** How many events wait to be written. */
  readonly waiting: number;
}

/** Who writes, and by which clock. */
export interface EventBookOptions {
  readonly component: string;
  readonly reportingComponent?: string | undefined;
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** Repetition within this time raises a count instead of making a new event. */
const windowMs = 10 * 60_000;
/** So many different messages of one reason become one combined event. */
const maxMessages = 10;
/** Every object may tell so much at once, then one more per refill. */
const burst = 25;
const refillMs = 60_000;
const maxWaiting = 1000;
const maxRemembered = 4096;
const maxMessageLength = 1024;

interface Told {
  readonly object: EventObject;
  isWritten: boolean;
  lastAt: number;
}

interface EventObject extends KubeObject {
  count: number;
  message: string;
  lastTimestamp: string;
  [field: string]: unknown;
}

interface Spending {
  tokens: number;
  at: number;
}

/** An empty book. */
export function createEventBook(options: EventBookOptions): EventBook {
  const { clock } = options;
  const told = new Map<string, Told>();
  const messages = new Map<string, { readonly since: number; readonly texts: Set<string> }>();
  const spending = new Map<string, Spending>();
  const waiting = new Set<Told>();
  const inWriting = new Set<Told>();

  /** True when the object has not told too much lately. */
  const spend = (subject: string, now: number): boolean => {
    const purse = spending.get(subject) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, purse.tokens + (now - purse.at) / refillMs);
    const canPay = tokens >= 1;
    remember(spending, subject, { tokens: canPay ? tokens - 1 : tokens, at: now });
    return canPay;
  };
  /** The message itself, or the combined one when there were too many different ones. */
  const combine = (group: string, text: string, now: number): { key: string; text: string } => {
    let recent = messages.get(group);
    if (recent === undefined || now - recent.since > windowMs) recent = { since: now, texts: new Set() };
    remember(messages, group, recent);
    if (recent.texts.size < maxMessages) recent.texts.add(text);
    if (recent.texts.has(text)) return { key: `${group}\0${text}`, text };
    return { key: `${group}\0`, text: `(combined from similar events): ${text}` };
  };

  return {
    enter(subject, draft) {
      const now = clock.monotonic();
      const about = identify(subject);
      const group = `${about}\0${draft.type}\0${draft.reason}`;
      const { key, text } = combine(group, draft.message.slice(0, maxMessageLength), now);
      const known = told.get(key);
      const isRepeated = known !== undefined && now - known.lastAt <= windowMs;
      if (isRepeated && waiting.has(known)) {
        countUp(known, text, clock);
        return 'merged';
      }
      if (!spend(about, now)) return 'thinned';
      if (waiting.size >= maxWaiting) return 'dropped';
      const entry = isRepeated ? known : { object: newEvent(subject, draft, options), isWritten: false, lastAt: now };
      countUp(entry, text, clock);
      remember(told, key, entry);
      waiting.add(entry);
      return 'queued';
    },
    next() {
      const entry = waiting.values().find((each) => !inWriting.has(each));
      if (entry === undefined) return undefined;
      waiting.delete(entry);
      inWriting.add(entry);
      const isNew = !entry.isWritten;
      entry.isWritten = true;
      const { count, message, lastTimestamp, metadata } = entry.object;
      const key = { namespace: metadata?.namespace, name: metadata?.name ?? '' };
      const end = (): void => void inWriting.delete(entry);
      return { key, isNew, object: structuredClone(entry.object), change: { count, message, lastTimestamp }, end };
    },
    get waiting() {
      return waiting.size;
    },
  };
}

/** Keeps a map from growing without end: the oldest entry makes room. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxRemembered) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function identify(subject: EventSubject): string {
  const { uid, namespace, name } = subject.metadata ?? {};
  return uid ?? `${subject.kind}/${namespace}/${name}`;
}

function countUp(entry: Told, message: string, clock: Clock): void {
  entry.object.count += 1;
  entry.object.message = message;
  entry.object.lastTimestamp = timestamp(clock);
  entry.lastAt = clock.monotonic();
}

function newEvent(subject: EventSubject, draft: EventDraft, options: EventBookOptions): EventObject {
  const { name = 'unknown', namespace, uid, resourceVersion } = subject.metadata ?? {};
  const suffix = `${options.clock.now().toString(16)}${Math.floor(options.random() * 2 ** 32).toString(16)}`;
  const at = timestamp(options.clock);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    // Events about cluster-scoped objects live in the default namespace, where kubectl looks for them.
    metadata: { name: `${name.slice(0, 200)}.${suffix}`, namespace: namespace ?? 'default' },
    involvedObject: { apiVersion: subject.apiVersion, kind: subject.kind, name, namespace, uid, resourceVersion },
    ...(draft.related === undefined ? {} : { related: draft.related }),
    type: draft.type,
    reason: draft.reason,
    message: draft.message,
    count: 0,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component: options.component },
    reportingComponent: options.reportingComponent ?? options.component,
    reportingInstance: options.instance,
  };
}

/** Kubernetes times have no fractions of a second. */
function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}
