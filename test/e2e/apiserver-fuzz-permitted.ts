import { findDuplicateFields, type Json } from '../../src/schema/index.ts';
import type { FuzzDifference } from './apiserver-fuzz-both.ts';

interface Permitted {
  readonly reason: string;
  applies(difference: FuzzDifference): boolean;
}

/** Differences that are meant to be, or that come from a request with several faults; each is counted in the report. */
const permitted: readonly Permitted[] = [
  {
    reason: 'integers beyond 2^53 are refused instead of rounded',
    applies: ({ here }) => here.text.includes('2^53'),
  },
  {
    reason: 'numbers that no float can hold are refused wherever they stand',
    applies: ({ here }) =>
      here.code >= 400 &&
      /cannot unmarshal number \S*\d into Go value of type float64|unsupported value: [+-]Inf/.test(here.text),
  },
  {
    reason:
      'of a field of a built-in kind that stands twice, the last value counts instead of both laid over each other',
    applies: ({ request }) => !request.path.startsWith('/apis/example.com/') && hasRepeatedFields(request.body ?? ''),
  },
  {
    reason: 'a whole number may be written with an exponent',
    applies: ({ real }) =>
      /cannot unmarshal number -?[\d.]+[eE]\S+ into Go struct field \S+ of type int/.test(real.text),
  },
  {
    reason: 'what stands behind an empty part of a path is not cut off: there is no such thing',
    applies: ({ request, here }) => /\/widgets\/[^/?]+\/(\/|%2F)/i.test(request.path) && here.code === 404,
  },
  {
    reason: 'the YAML parsers do not agree on what a quote inside a flow mapping means',
    applies: ({ request, real, here }) =>
      request.contentType.includes('yaml') && `${real.text} ${here.text}`.includes('yaml: '),
  },
];

function hasRepeatedFields(body: string): boolean {
  try {
    return findDuplicateFields(body, JSON.parse(body) as Json).length > 0;
  } catch {
    return false; // no JSON at all: then it is not that
  }
}

/** Why a difference is permitted; undefined when it is not. */
export function whyPermitted(difference: FuzzDifference): string | undefined {
  return permitted.find((each) => each.applies(difference))?.reason;
}
