import type { Json } from '../../src/schema/index.ts';

/** One step of a case as it happened on one server. */
export interface TranscriptEntry {
  /** What was done, in words that are equal on both servers: `GET /api/v1/namespaces/x`. */
  readonly step: string;
  /** What came back. */
  readonly seen: Json;
}

/** Facts of a run that the normaliser needs to tell chance from meaning. */
export interface RunContext {
  readonly url: string;
  readonly caPem: string;
  readonly startedAtMs: number;
  /** Ports, certificates and other strings that differ from run to run, with the name they get. */
  readonly aliases: Record<string, string>;
}

/** Everything that one case saw on one server. */
export interface Transcript {
  readonly caseId: string;
  readonly context: RunContext;
  readonly entries: TranscriptEntry[];
}
