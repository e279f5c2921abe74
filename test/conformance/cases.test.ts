import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { topics } from './cases/index.ts';
import { casesOf, commandCoverage, coverage } from './coverage.ts';
import { knownDifferences } from './known-differences.ts';
import { hashTopics } from './recording-cache.ts';
import { referencePage, referencePagePath } from './reference-page.ts';

const ids = topics.flatMap((topic) => topic.cases.map(({ id }) => id));

describe('the list of conformance cases', () => {
  it('names every case once, in words that also serve as a namespace', () => {
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[a-z]+\/[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it('keeps each topic in a file of its own name', () => {
    const hashes = hashTopics(topics.map(({ name }) => name));
    assert.equal(new Set(hashes.values()).size, topics.length);
  });

  it('has a reason for every permitted difference, and a case to go with it', () => {
    for (const known of knownDifferences) {
      assert.ok(ids.includes(known.caseId), `${known.caseId} is not a case`);
      assert.ok(known.reason.length > 20, `${known.caseId} needs a reason that a user understands`);
    }
  });

  it('covers every behaviour that clients rely on with several cases, each of which there is', () => {
    for (const behaviour of coverage) {
      const cases = casesOf(behaviour, topics);
      for (const id of cases) assert.ok(ids.includes(id), `${behaviour.what}: ${id} is not a case`);
      assert.ok(new Set(cases).size >= 3, `${behaviour.what}: only ${cases.length}`);
    }
  });

  it('has a case for each command that people type', () => {
    for (const [command, id] of Object.entries(commandCoverage)) assert.ok(ids.includes(id), `${command}: ${id}`);
  });

  it('does not shrink below three hundred cases', () => {
    assert.ok(ids.length >= 300, `${ids.length} cases`);
  });

  it('is what the reference page says', () => {
    const page = readFileSync(join(import.meta.dirname, '../..', referencePagePath), 'utf8');
    const hint = 'renew it with `node test/conformance/write-reference-page.ts`';
    assert.equal(page, referencePage(topics, knownDifferences), hint);
  });
});
