import { once } from 'node:events';
import {
  type AuditExport,
  createLogger,
  createMetrics,
  type LogFields,
  type Logger,
  type MetricsRegistry,
  type Tracer,
} from '../../../telemetry/index.ts';
import { CliError } from '../../errors.ts';
import { type AuditSettings, openAudit } from '../../observe/open-audit.ts';
import { openTraces } from '../../observe/open-traces.ts';
import type { Settings } from '../../settings.ts';
import type { Terminal } from '../../terminal.ts';
import { packageVersion } from '../../version.ts';
import { Closing } from '../closing.ts';
import { explainStore } from '../open-store.ts';

/** What a service of the install service is started with. */
export interface ServiceContext {
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** Is told who changed what, where that was asked for. */
  readonly audit: AuditExport | undefined;
  /** Records nothing unless that was asked for. */
  readonly tracer: Tracer;
  /** Takes what is opened, to be closed when the service stops. */
  readonly open: Closing;
}

/** A service to be run as a process of its own. */
export interface ServicePlan {
  readonly name: string;
  readonly settings: AuditSettings & Settings<'logLevel' | 'logFormat' | 'tracesEndpoint'>;
  /** How long closing may take before the process ends without it. */
  readonly stopWithinMs?: number;
  /** Starts it; what it gives is in the line that says that the service is ready. */
  start(context: ServiceContext): Promise<LogFields & { readonly url: string }>;
}

const stopWithinMs = 15_000;

/**
 * Runs a service until SIGTERM or SIGINT, with JSON lines on standard output. One of them has the message `ready` and the
 * address, once the service works.
 */
export async function runService(plan: ServicePlan, terminal: Terminal): Promise<void> {
  const { logLevel: level = 'info', logFormat: format } = plan.settings;
  const logger = createLogger({ level, format, write: terminal.out }).child({ service: plan.name });
  const open = new Closing();
  logger.info('starting', { version: packageVersion() });
  try {
    const metrics = createMetrics({ process: true });
    const audit = openAudit(plan.settings, (error) => logger.error('the audit log cannot be written', { error }));
    if (audit !== undefined) open.add(() => audit.close());
    const tracer = await openTraces(plan.settings, `rackwright-${plan.name}`);
    open.add(() => tracer.close());
    logger.info('ready', await plan.start({ logger, metrics, audit, tracer, open }));
    const { interrupted } = terminal;
    if (!interrupted.aborted) await once(interrupted, 'abort');
    logger.info('stopping');
  } catch (error) {
    await close(open, plan).catch((problem: unknown) => logger.error('closing failed', { error: problem }));
    throw explainStore(error);
  }
  await close(open, plan);
  logger.info('stopped');
}

async function close(open: Closing, { stopWithinMs: limitMs = stopWithinMs }: ServicePlan): Promise<void> {
  const late = Promise.withResolvers<never>();
  const text = `it did not stop within ${limitMs / 1000} s and was ended; nothing that was answered is lost`;
  const timer = setTimeout(() => late.reject(new CliError('failed', text)), limitMs);
  try {
    await Promise.race([open.close(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
