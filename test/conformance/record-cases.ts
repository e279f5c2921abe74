import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CertificateAuthority, createCertificateAuthority } from '../real/certificate-authority.ts';
import type { ConformanceCase } from './case.ts';
import { CaseRun } from './case-run.ts';
import type { ConformanceTarget } from './target.ts';
import type { Transcript } from './transcript.ts';

/** How many cases run side by side on one server. */
const parallelCases = 6;

/** Runs cases on one server and hands each transcript over as soon as it is there. */
export async function recordCases(
  target: ConformanceTarget,
  cases: readonly ConformanceCase[],
  onDone: (transcript: Transcript) => void = () => {},
): Promise<Map<string, Transcript>> {
  const authority = await createCertificateAuthority('conformance-webhooks');
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const transcripts = new Map<string, Transcript>();
  const runOne = async (each: ConformanceCase) => {
    const transcript = await recordCase(target, each, { authority, folder });
    transcripts.set(each.id, transcript);
    onDone(transcript);
  };
  for (const each of cases.filter(({ alone }) => alone)) await runOne(each);
  const queue = cases.filter(({ alone }) => !alone);
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await runOne(next);
  };
  await Promise.all(Array.from({ length: parallelCases }, worker));
  rmSync(folder, { recursive: true, force: true });
  return transcripts;
}

/** Runs one case; an exception becomes its last entry, so that it shows as a difference. */
async function recordCase(
  target: ConformanceTarget,
  each: ConformanceCase,
  shared: { authority: CertificateAuthority; folder: string },
): Promise<Transcript> {
  const run = new CaseRun({ caseId: each.id, target, ...shared });
  try {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: run.ns } };
    await run.post('/api/v1/namespaces', namespace, { quiet: true });
    await each.run(run);
  } catch (error) {
    run.note('the case broke off', error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
  return run.finish();
}

/** Whether a case ended early with an exception, or waited in vain: such a recording says nothing about conformance. */
export function isIncomplete(transcript: Transcript): boolean {
  return transcript.entries.some(
    ({ step, seen }) => /the case broke off$|\(it never was\)$/.test(step) || seen === 'never happened',
  );
}
