import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../src/schema/index.ts';
import { compareTranscripts } from './compare.ts';
import type { Transcript } from './transcript.ts';
import { judge } from './verdict.ts';

const startedAtMs = Date.parse('2026-03-01T12:00:00Z');

function transcript(seen: Json[], changes: Partial<Transcript['context']> = {}): Transcript {
  const context = { url: 'https://127.0.0.1:7001', caPem: 'PEM', startedAtMs, aliases: {}, ...changes };
  return { caseId: 'topic/case', context, entries: seen.map((each, i) => ({ step: `${i + 1}. GET /x`, seen: each })) };
}

function object(uid: string, resourceVersion: string, rest: Record<string, Json> = {}): Json {
  return { metadata: { name: 'one', uid, resourceVersion, ...rest } };
}

const uidA = '0aaaaaaa-0000-4000-8000-000000000001';
const uidB = '0bbbbbbb-0000-4000-8000-000000000002';

describe('comparing two transcripts', () => {
  it('finds ids, versions, times and addresses equal when they play the same part', () => {
    const left = transcript([
      object(uidA, '10', { creationTimestamp: '2026-03-01T12:00:05Z' }),
      object(uidA, '14'),
      { message: `at https://127.0.0.1:7001, ${uidA} is gone` },
    ]);
    const right = transcript(
      [
        object(uidB, '900', { creationTimestamp: '2026-03-01T12:09:00Z' }),
        object(uidB, '901'),
        { message: `at https://127.0.0.1:7002, ${uidB} is gone` },
      ],
      { url: 'https://127.0.0.1:7002' },
    );
    assert.deepEqual(compareTranscripts(left, right), []);
  });

  it('sees a version that stayed on one server and moved on the other', () => {
    const left = transcript([object(uidA, '10'), object(uidA, '10')]);
    const right = transcript([object(uidB, '10'), object(uidB, '11')]);
    assert.deepEqual(compareTranscripts(left, right), [
      { at: '2. GET /x .metadata .resourceVersion', expected: '<version 1>', actual: '<version 2>' },
    ]);
  });

  it('sees that an object was replaced by another of the same name', () => {
    const left = transcript([object(uidA, '10'), object(uidA, '11')]);
    const right = transcript([object(uidA, '10'), object(uidB, '11')]);
    const places = compareTranscripts(left, right).map(({ at }) => at);
    assert.ok(places.includes('2. GET /x .metadata .uid'));
  });

  it('keeps the fixed times that a case itself sent', () => {
    const left = transcript([{ time: '2020-01-01T00:00:00Z' }]);
    const right = transcript([{ time: '2020-01-01T00:00:01Z' }]);
    assert.equal(compareTranscripts(left, right).length, 1);
  });

  it('tells times of different precision apart', () => {
    const left = transcript([{ time: '2026-03-01T12:00:00Z' }]);
    const right = transcript([{ time: '2026-03-01T12:00:00.000000Z' }]);
    assert.equal(compareTranscripts(left, right).length, 1);
  });

  it('accepts the faults of one object in any order, but not other faults', () => {
    const status = (fields: string[]): Json => ({
      kind: 'Status',
      message: `X is invalid: [${fields.map((field) => `${field}: bad`).join(', ')}]`,
      details: { causes: fields.map((field) => ({ field, message: 'bad' })) },
    });
    assert.deepEqual(compareTranscripts(transcript([status(['a', 'b'])]), transcript([status(['b', 'a'])])), []);
    assert.notDeepEqual(compareTranscripts(transcript([status(['a', 'b'])]), transcript([status(['a', 'c'])])), []);
  });

  it('sees a missing field, an extra item and a missing step', () => {
    const left = transcript([{ a: 1, list: [1] }, 'second']);
    const right = transcript([{ list: [1, 2] }]);
    const places = compareTranscripts(left, right).map(({ at }) => at);
    assert.deepEqual(places, ['1. GET /x .a', '1. GET /x .list [1]', '2. GET /x']);
  });
});

describe('judging a case', () => {
  const pair = { expected: transcript([{ a: 1, b: 1 }]), actual: transcript([{ a: 2, b: 1 }]) };
  const permit = (at: string) => ({ caseId: 'topic/case', at, reason: 'a test' });

  it('fails a difference that nothing permits', () => {
    assert.equal(judge(pair, []).outcome, 'different');
    assert.equal(judge(pair, [{ ...permit('.a'), caseId: 'topic/other' }]).outcome, 'different');
  });

  it('passes a permitted difference', () => {
    assert.equal(judge(pair, [permit('1. GET /x .a')]).outcome, 'known');
  });

  it('fails a permission that is no longer needed', () => {
    assert.equal(judge(pair, [permit('.a'), permit('.b')]).outcome, 'stale');
    assert.equal(judge({ expected: pair.expected, actual: pair.expected }, [permit('.a')]).outcome, 'stale');
  });

  it('calls equal what is equal', () => {
    assert.equal(judge({ expected: pair.expected, actual: pair.expected }, []).outcome, 'equal');
  });
});
