import { type AuditedRequest, auditEvent } from './audit-event.ts';
import { type LineFileOptions, openLineFile } from './line-file.ts';

/** Takes requests that were answered, for whoever asks later who did what. */
export interface AuditExport {
  record(request: AuditedRequest): void;
  close(): Promise<void>;
}

/** Writes each request as one line of JSON in the shape of Kubernetes' audit log, into a file that is put aside when it is large. */
export function openAuditExport(path: string, options: LineFileOptions): AuditExport {
  const file = openLineFile(path, options);
  return {
    record: (request) => file.write(JSON.stringify(auditEvent(request))),
    close: () => file.close(),
  };
}
