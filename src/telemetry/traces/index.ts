export { openTracer, type TracerOptions } from './open-tracer.ts';
export {
  noTracer,
  type Span,
  type SpanAttributes,
  type SpanPlan,
  type Tracer,
  traced,
  traceparentHere,
} from './trace.ts';
