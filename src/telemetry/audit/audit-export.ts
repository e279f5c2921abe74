import { type AuditedRequest, auditEvent } from './audit-event.ts';
import { type LineFileOptions, openLineFile } from './line-file.ts';

/** Takes requests that were answered, for whoever asks later who did what. */
export interface AuditExport {
  record(request: AuditedRequest): void;
  /** Why the last line could not be kept; undefined when it was. */
  fault(): string | undefined;
  /** How many lines could not be kept. */
  lost(): number;
  close(): Promise<void>;
}

/** Writes each request as one line of JSON in the shape of Kubernetes' audit log, into a file that is put aside when it is large. */
export function openAuditExport(path: string, options: LineFileOptions): AuditExport {
  const file = openLineFile(path, options);
  return {
    record: (request) => file.write(JSON.stringify(auditEvent(request))),
    fault: () => file.fault(),
    lost: () => file.lost(),
    close: () => file.close(),
  };
}
