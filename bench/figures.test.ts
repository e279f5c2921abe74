import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { median, percentile, printTable, rounded } from './figures.ts';

describe('bench figures', () => {
  it('takes percentiles of unsorted samples', () => {
    const samples = [5, 1, 4, 2, 3];
    assert.equal(median(samples), 3);
    assert.equal(median([1, 2]), 1.5);
    assert.equal(percentile(samples, 0.99), 5);
    assert.equal(percentile(samples, 0), 1);
    assert.ok(Number.isNaN(median([])));
  });

  it('rounds to three digits', () => {
    assert.equal(rounded(1234.5), 1230);
    assert.equal(rounded(0.012345), 0.0123);
  });

  it('prints columns of one width', () => {
    assert.equal(
      printTable([
        ['', 'a'],
        ['row', 100],
      ]),
      '       a\nrow  100',
    );
  });
});
