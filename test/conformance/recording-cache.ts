import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, realKubeVersion } from '../real/kube/binaries.ts';
import type { Transcript } from './transcript.ts';

/** Changes whenever transcripts are recorded in another form. */
const recordingForm = 1;

/** What cases of several topics are built from. */
const sharedFiles = ['fixtures.ts', 'rbac-steps.ts', 'webhook-steps.ts'];

/** Keeps what the real server said, outside the work tree, so that it need not be started for every comparison. */
export class RecordingCache {
  readonly #folder: string;
  readonly #topicHashes: ReadonlyMap<string, string>;
  constructor(topicHashes: ReadonlyMap<string, string>) {
    this.#topicHashes = topicHashes;
    this.#folder = join(cacheDirectory(), 'conformance', realKubeVersion);
  }

  read(caseId: string): Transcript | undefined {
    try {
      return JSON.parse(readFileSync(this.#path(caseId), 'utf8')) as Transcript;
    } catch {
      return undefined;
    }
  }

  write(transcript: Transcript): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(this.#path(transcript.caseId), JSON.stringify(transcript));
  }

  #path(caseId: string): string {
    const topicName = caseId.split('/')[0] ?? '';
    return join(this.#folder, `${caseId.replaceAll('/', '-')}-${this.#topicHashes.get(topicName) ?? 'unknown'}.json`);
  }
}

/** A hash for each topic: of its file and of what all share. */
export function hashTopics(topicNames: readonly string[]): Map<string, string> {
  const casesFolder = join(import.meta.dirname, 'cases');
  const fixtures = sharedFiles.map((name) => readFileSync(join(import.meta.dirname, name)));
  return new Map(
    topicNames.map((name) => {
      const hash = createHash('sha256').update(String(recordingForm)).update(Buffer.concat(fixtures));
      return [
        name,
        hash
          .update(readFileSync(join(casesFolder, `${name}.ts`)))
          .digest('hex')
          .slice(0, 12),
      ];
    }),
  );
}
