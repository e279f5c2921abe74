import { type ApiServerOptions, createAuditExportSink } from '../../apiserver/index.ts';
import type { AuditExport, Tracer } from '../../telemetry/index.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { type AuditSettings, openAudit } from './open-audit.ts';
import { openTraces } from './open-traces.ts';

/** What is told of requests while they are answered. */
export interface Witnesses {
  /** Undefined where nobody asked for it. */
  readonly audit: AuditExport | undefined;
  readonly tracer: Tracer;
  /** The same as the embedded API server takes them. */
  readonly ofServer: Pick<ApiServerOptions, 'tracer' | 'auditSinks'>;
  /** When nobody is at work any more. */
  close(): Promise<void>;
}

/** Opens what was asked for: a file of audit events, the way to a collector of traces. */
export async function openWitnesses(
  settings: AuditSettings & Settings<'tracesEndpoint'>,
  terminal: Pick<Terminal, 'err'>,
): Promise<Witnesses> {
  const audit = openAudit(settings, (error) =>
    terminal.err(`rackwright: the audit log cannot be written: ${String(error)}\n`),
  );
  const tracer = await openTraces(settings, 'rackwright');
  const auditSinks = audit === undefined ? [] : [createAuditExportSink(audit, () => new Date())];
  return {
    ...{ audit, tracer, ofServer: { tracer, auditSinks } },
    async close() {
      await audit?.close();
      await tracer.close();
    },
  };
}
