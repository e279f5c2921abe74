import { type LineFileOptions, openLineFile } from '../../telemetry/index.ts';
import type { AuditSink } from './audit-log.ts';

/** Appends one JSON line per write to a file only the owner can read; keeps one older file of the same size. */
export async function openAuditFile(path: string, options: LineFileOptions): Promise<AuditSink> {
  const file = openLineFile(path, options);
  return {
    write: (line) => file.write(JSON.stringify(line)),
    fault: () => file.fault(),
    lost: () => file.lost(),
    close: () => file.close(),
  };
}
