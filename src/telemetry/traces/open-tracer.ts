import type { Attributes, Context, Span as OtelSpan, Tracer as OtelTracer, SpanContext } from '@opentelemetry/api';
import { type RecordedSpan, runIn, type SpanPlan, safeAttributes, spanHere, type Tracer } from './trace.ts';

/** Where traces are sent, and by whom. */
export interface TracerOptions {
  /** Of an OpenTelemetry collector; traces go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly service: string;
  /** Of the service, where it is known. */
  readonly version?: string;
  /** How often spans are sent; 5 s unless given. */
  readonly everyMs?: number;
}

type Api = typeof import('@opentelemetry/api');

/** Opens a tracer that sends spans by OTLP over HTTP. The libraries are loaded here, so that those without traces do not pay for them. */
export async function openTracer(options: TracerOptions): Promise<Tracer> {
  const [api, { BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces` });
  const every = options.everyMs === undefined ? {} : { scheduledDelayMillis: options.everyMs };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service,
      ...(options.version === undefined ? {} : { 'service.version': options.version }),
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...every })],
  });
  const parts = { api, tracer: provider.getTracer('rackwright', options.version) };
  return {
    trace(plan, work) {
      const elsewhere = readTraceparent(plan.parent);
      const here = elsewhere === undefined ? spanHere() : undefined;
      return runIn(here?.begin(plan) ?? begin(parts, plan, elsewhere), work);
    },
    // The last spans are lost as those before them are while the collector is away; what is traced ends well all the same.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

interface Parts {
  readonly api: Api;
  readonly tracer: OtelTracer;
}

function begin(parts: Parts, plan: SpanPlan, parent: SpanContext | undefined): RecordedSpan {
  const { api, tracer } = parts;
  const root = api.ROOT_CONTEXT;
  const context: Context = parent === undefined ? root : api.trace.setSpanContext(root, parent);
  const kind = api.SpanKind[(plan.kind ?? 'internal').toUpperCase() as keyof typeof api.SpanKind];
  const attributes: Attributes = safeAttributes(plan.attributes ?? {});
  return recorded(parts, tracer.startSpan(plan.name, { kind, attributes }, context));
}

function recorded(parts: Parts, span: OtelSpan): RecordedSpan {
  const own = span.spanContext();
  return {
    traceparent: `00-${own.traceId}-${own.spanId}-${own.traceFlags.toString(16).padStart(2, '0')}`,
    begin: (plan) => begin(parts, plan, own),
    set: (attributes) => void span.setAttributes(safeAttributes(attributes)),
    fail: (message) => void span.setStatus({ code: parts.api.SpanStatusCode.ERROR, message }),
    end: () => span.end(),
  };
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** What came from elsewhere may be anything; what is no trace is none. */
function readTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = form.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16), isRemote: true };
}
