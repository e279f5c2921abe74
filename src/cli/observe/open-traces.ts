import { noTracer, openTracer, type Tracer } from '../../telemetry/index.ts';
import type { Settings } from '../settings.ts';
import { packageVersion } from '../version.ts';

/** Opens the way to a collector of traces, where one was named; otherwise nothing is recorded. */
export async function openTraces({ tracesEndpoint }: Settings<'tracesEndpoint'>, service: string): Promise<Tracer> {
  if (tracesEndpoint === undefined) return noTracer;
  return await openTracer({ endpoint: tracesEndpoint, service, version: packageVersion() });
}
