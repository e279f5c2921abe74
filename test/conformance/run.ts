import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { topics } from './cases/index.ts';
import { printDifferences } from './compare.ts';
import { knownDifferences } from './known-differences.ts';
import { normalise } from './normalise.ts';
import { startRealTarget } from './real-target.ts';
import { isIncomplete, recordCases } from './record-cases.ts';
import { hashTopics, RecordingCache } from './recording-cache.ts';
import type { ConformanceTarget } from './target.ts';
import type { Transcript } from './transcript.ts';
import { judge } from './verdict.ts';

interface RunOptions {
  readonly only?: string;
  readonly target: 'embedded' | 'real' | 'both';
  readonly show?: boolean;
  readonly fresh?: boolean;
  readonly port: string;
}

const options = new Command('conformance')
  .description('Runs the conformance cases and compares the embedded server with a real kube-apiserver.')
  .option('--only <pattern>', 'only cases whose id matches this regular expression')
  .addOption(
    new Option('--target <which>', 'embedded: compare with the recorded answers; real: record twice and compare')
      .choices(['embedded', 'real', 'both'])
      .default('both'),
  )
  .option('--show', 'print what each step saw')
  .option('--fresh', 'ask the real server again instead of using recorded answers')
  .option('--port <number>', 'first of ten free ports', '21650')
  .parse()
  .opts<RunOptions>();

const pattern = new RegExp(options.only ?? '');
const cases = topics.flatMap((each) => each.cases).filter(({ id }) => pattern.test(id));
const cache = new RecordingCache(hashTopics(topics.map(({ name }) => name)));
const dataDir = mkdtempSync(join(tmpdir(), 'conformance-data-'));

process.exitCode = (await main()) ? 0 : 1;
rmSync(dataDir, { recursive: true, force: true });

async function main(): Promise<boolean> {
  if (options.target === 'real') return compare(await record(startReal), await record(startReal), 'real again');
  const expected = options.fresh === true ? await record(startReal) : await recorded();
  if (options.show === true) for (const each of expected.values()) show(each);
  return compare(expected, await record(startEmbedded), 'embedded');
}

function startReal(): Promise<ConformanceTarget> {
  return startRealTarget({ dataDir: join(dataDir, 'real'), port: Number(options.port) });
}

/** Loaded only when asked for, so that recording the real server works while the embedded one does not even load. */
async function startEmbedded(): Promise<ConformanceTarget> {
  const { startEmbeddedTarget } = await import('./embedded-target.ts');
  return startEmbeddedTarget({ dataDir: join(dataDir, 'embedded'), port: Number(options.port) + 5 });
}

/** What the real server said, from the cache where it is there. */
async function recorded(): Promise<Map<string, Transcript>> {
  const known = new Map(cases.flatMap(({ id }) => entryOf(id, cache.read(id))));
  const missing = cases.filter(({ id }) => !known.has(id));
  if (missing.length === 0) return known;
  return new Map([...known, ...(await record(startReal, missing))]);
}

function entryOf(id: string, transcript: Transcript | undefined): [string, Transcript][] {
  return transcript === undefined ? [] : [[id, transcript]];
}

async function record(start: () => Promise<ConformanceTarget>, which = cases): Promise<Map<string, Transcript>> {
  const target = await start();
  const began = Date.now();
  try {
    const transcripts = await recordCases(target, which, (transcript) => {
      if (target.name === 'real' && !isIncomplete(transcript)) cache.write(transcript);
      if (isIncomplete(transcript)) console.log(`incomplete on ${target.name}: ${transcript.caseId}`);
      if (options.show === true && options.target === target.name) show(transcript);
    });
    console.log(`${which.length} cases ran on ${target.name} in ${((Date.now() - began) / 1000).toFixed(1)} s`);
    return transcripts;
  } finally {
    await target.stop();
  }
}

function compare(expected: Map<string, Transcript>, actual: Map<string, Transcript>, what: string): boolean {
  const counts = { equal: 0, known: 0, different: 0, stale: 0 };
  for (const { id } of cases) {
    const pair = { expected: expected.get(id), actual: actual.get(id) };
    if (pair.expected === undefined || pair.actual === undefined) throw new Error(`no transcript of ${id}`);
    const permitted = what === 'embedded' ? knownDifferences : [];
    const verdict = judge({ expected: pair.expected, actual: pair.actual }, permitted);
    const isUsable = !isIncomplete(pair.expected);
    if (!isUsable) console.log(`INCOMPLETE ${id}: the recording of the real server does not reach its end`);
    counts[isUsable ? verdict.outcome : 'different']++;
    if (verdict.differences.length > 0) console.log(`DIFFERENT ${id}\n${printDifferences(verdict.differences)}`);
    for (const known of verdict.stale) console.log(`STALE ${id}: now equal at ${known.at}`);
  }
  console.log(`${cases.length} cases, real against ${what}: ${JSON.stringify(counts)}`);
  return counts.different + counts.stale === 0;
}

function show(transcript: Transcript): void {
  console.log(`--- ${transcript.caseId}`);
  for (const { step, seen } of normalise(transcript)) console.log(`${step}\n${JSON.stringify(seen, null, 1)}`);
}
