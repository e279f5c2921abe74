import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePortRange } from '../real/free-ports.ts';
import { whyNoRealKube } from '../real/kube/binaries.ts';
import { topics } from './cases/index.ts';
import { printDifferences } from './compare.ts';
import { startEmbeddedTarget } from './embedded-target.ts';
import { knownDifferences } from './known-differences.ts';
import { startRealTarget } from './real-target.ts';
import { isIncomplete, recordCases } from './record-cases.ts';
import type { ConformanceTarget } from './target.ts';
import type { Transcript } from './transcript.ts';
import { judge } from './verdict.ts';

const whyNot = whyNoRealKube();
const cases = topics.flatMap((each) => each.cases);

if (whyNot !== undefined) it('the embedded server answers like a real kube-apiserver', { skip: whyNot }, () => {});
else describe('the embedded server answers like a real kube-apiserver', compareAll);

function compareAll(): void {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-data-'));
  let expected = new Map<string, Transcript>();
  let actual = new Map<string, Transcript>();

  const startReal = async (name: string) =>
    startRealTarget({ dataDir: join(folder, name), port: await freePortRange(4) });

  before(async () => {
    expected = await record(await startReal('real'));
    actual = await record(await startEmbeddedTarget({ dataDir: join(folder, 'embedded'), port: 0 }));
    // What depends on how far its caches are, a real server answers one way or the other: it is asked once more.
    const doubtful = cases.filter(({ id }) => !isAsExpected({ expected: expected.get(id), actual: actual.get(id) }));
    if (doubtful.length === 0) return;
    for (const [id, again] of await record(await startReal('real-again'), doubtful)) {
      if (isAsExpected({ expected: again, actual: actual.get(id) })) expected.set(id, again);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const { id } of cases) {
    it(`equal, or different for a stated reason: ${id}`, () => {
      const pair = { expected: expected.get(id), actual: actual.get(id) };
      assert.ok(pair.expected !== undefined && pair.actual !== undefined, 'the case did not run on both servers');
      assert.ok(!isIncomplete(pair.expected), 'the case does not reach its end on the real server');
      const verdict = judge({ expected: pair.expected, actual: pair.actual }, knownDifferences);
      assert.equal(verdict.differences.length, 0, `\n${printDifferences(verdict.differences)}`);
      assert.deepEqual(verdict.stale, [], 'a permitted difference is no longer there: take it off the list');
    });
  }
}

interface Pair {
  readonly expected: Transcript | undefined;
  readonly actual: Transcript | undefined;
}

function isAsExpected({ expected, actual }: Pair): boolean {
  if (expected === undefined || actual === undefined || isIncomplete(expected)) return false;
  const { outcome } = judge({ expected, actual }, knownDifferences);
  return outcome === 'equal' || outcome === 'known';
}

async function record(target: ConformanceTarget, which = cases): Promise<Map<string, Transcript>> {
  try {
    return await recordCases(target, which);
  } finally {
    await target.stop();
  }
}
