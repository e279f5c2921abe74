import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobError } from '../errors.ts';
import { readBootImageSettings } from './boot-image/settings.ts';
import { readVendorCliSettings } from './vendor-cli/settings.ts';

const problemsOf = (read: () => unknown): readonly string[] => {
  try {
    read();
  } catch (error) {
    if (error instanceof JobError) return error.problems ?? [];
    throw error;
  }
  return [];
};

test('a strategy that needs settings and has none says how to give them', () => {
  for (const read of [readVendorCliSettings, readBootImageSettings]) {
    assert.deepEqual(
      problemsOf(() => read(undefined)),
      ['there are none, and it needs some: name a file with --strategy-settings'],
    );
  }
});

test('settings that nobody knows are named, and what is missing is named beside them', () => {
  const given = { images: [], reports: {} };
  const problems = problemsOf(() => readBootImageSettings(given));
  assert.ok(problems.includes('/reports is no setting that is known'), problems.join('; '));
  assert.ok(problems.some((each) => /report\b/.test(each) && each.startsWith('the whole')));
  assert.ok(!problems.join().includes('schema is false'));
});
