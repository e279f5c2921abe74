export {
  type AuditExport,
  type AuditedRequest,
  type AuditObject,
  type AuditUser,
  auditEvent,
  type LineFile,
  type LineFileOptions,
  openAuditExport,
  openLineFile,
} from './audit/index.ts';
export { withLogFields } from './log-context.ts';
export {
  createLogger,
  type LogFields,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  silentLogger,
} from './logger.ts';
export {
  type Counter,
  createMetrics,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricDefinition,
  type Metrics,
  type MetricsOptions,
  type MetricsRegistry,
  noMetrics,
} from './metrics.ts';
export { isSecretName, redact, redactedMark, redactText, shownUrl } from './redact.ts';
export { type OtlpReceiver, pathOfSpan, type SentSpan, startOtlpReceiver } from './testing/otlp-receiver.ts';
export {
  noTracer,
  openTracer,
  type Span,
  type SpanAttributes,
  type SpanPlan,
  type Tracer,
  type TracerOptions,
  traced,
  traceparentHere,
} from './traces/index.ts';
