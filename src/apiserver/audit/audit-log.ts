import { type AuditEntry, type AuditLine, auditLine } from './audit-line.ts';

/** A place where lines of the audit log go. */
export interface AuditSink {
  /** Takes a line at once, and what it was made of; what it cannot keep it counts. */
  write(line: AuditLine, entry: AuditEntry): void;
  /** Why the last line could not be kept; undefined when it was. */
  fault(): string | undefined;
  /** How many lines could not be kept. */
  lost(): number;
  close(): Promise<void>;
}

/** Keeps who wrote what, and what came of it; never what was in it. */
export interface AuditLog {
  record(entry: AuditEntry): void;
  /** Why a sink could not keep its last line; undefined when all did. */
  fault(): string | undefined;
  /** How many lines sinks could not keep. */
  lost(): number;
  close(): Promise<void>;
}

/** An audit log that makes one line of each entry and hands it to every sink. */
export function createAuditLog(sinks: readonly AuditSink[], now: () => Date): AuditLog {
  return {
    record(entry) {
      const line = auditLine(entry, now());
      for (const sink of sinks) sink.write(line, entry);
    },
    fault: () => sinks.map((sink) => sink.fault()).find((fault) => fault !== undefined),
    lost: () => sinks.reduce((sum, sink) => sum + sink.lost(), 0),
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}
