import { AsyncLocalStorage } from 'node:async_hooks';
import { withLogFields } from '../log-context.ts';
import { redactText } from '../redact.ts';

/** What is said of a span. Texts are cut short, and secrets in them replaced. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work that takes time, as part of a trace. */
export interface Span {
  set(attributes: SpanAttributes): void;
  /** It went wrong, in one word or a short sentence. */
  fail(why: string): void;
}

/** A span to be begun. */
export interface SpanPlan {
  /** Few and the same for the same kind of work: `POST /api/v1/servers/{id}/condition/{kind}`. */
  readonly name: string;
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: SpanAttributes;
}

/** A span that is recorded. */
export interface RecordedSpan extends Span {
  /** As the W3C writes it: `00-<trace>-<span>-01`. */
  readonly traceparent: string;
  /** Begins a span within this one. */
  begin(plan: SpanPlan): RecordedSpan;
  end(): void;
}

/** Where traces begin, or go on that came from elsewhere. */
export interface Tracer {
  /** Does work as a span. It is part of the trace of `parent`, of the one it is called in, or a trace of its own. */
  trace<T>(plan: SpanPlan & { readonly parent?: string | undefined }, work: (span: Span) => Promise<T>): Promise<T>;
  /** Sends what is left. */
  close(): Promise<void>;
}

// Holds nothing by itself: each chain of calls sees only the span that was put around it.
const around = new AsyncLocalStorage<RecordedSpan>();

const unrecorded: Span = { set: () => undefined, fail: () => undefined };

/** A tracer that records nothing. */
export const noTracer: Tracer = {
  trace: (_, work) => work(unrecorded),
  close: async () => undefined,
};

/** Does work as a span of the trace that it is called in; where there is none, nothing is recorded. */
export function traced<T>(plan: SpanPlan, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = around.getStore();
  return parent === undefined ? work(unrecorded) : runIn(parent.begin(plan), work);
}

/** The trace that this is called in, to be handed on; undefined where there is none. */
export function traceparentHere(): string | undefined {
  return around.getStore()?.traceparent;
}

/** The span that this is called in. */
export function spanHere(): RecordedSpan | undefined {
  return around.getStore();
}

/** Does work within a span, and ends it. What is thrown is told by its name and code: messages may quote anything. */
export async function runIn<T>(span: RecordedSpan, work: (span: Span) => Promise<T>): Promise<T> {
  const trace = span.traceparent.split('-')[1] ?? '';
  try {
    return await around.run(span, () => withLogFields({ trace }, () => work(span)));
  } catch (error) {
    span.fail(kindOf(error));
    throw error;
  } finally {
    span.end();
  }
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? `${error.name} ${error.code}` : error.name;
}

const longest = 256;

/** Attributes as they may leave the process. */
export function safeAttributes(attributes: SpanAttributes): Record<string, string | number | boolean> {
  const safe: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    safe[name] = typeof value === 'string' ? redactText(value).slice(0, longest) : value;
  }
  return safe;
}
