import type { Json } from '../../src/schema/index.ts';
import { isJsonObject } from './json-value.ts';
import { normalise } from './normalise.ts';
import type { Transcript } from './transcript.ts';

/** One place at which two servers answered differently. */
export interface Difference {
  /** The step and the path inside its answer. */
  readonly at: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** Every difference between what the real server said and what the other one said. */
export function compareTranscripts(expected: Transcript, actual: Transcript): Difference[] {
  const left = normalise(expected);
  const right = normalise(actual);
  const found: Difference[] = [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const step = left[i]?.step ?? right[i]?.step ?? '';
    if (left[i]?.step !== right[i]?.step) {
      found.push({ at: step, expected: left[i]?.step, actual: right[i]?.step });
      break;
    }
    collect(found, step, left[i]?.seen, right[i]?.seen);
  }
  return found;
}

function collect(found: Difference[], at: string, expected: Json | undefined, actual: Json | undefined): void {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
      collect(found, `${at} [${i}]`, expected[i], actual[i]);
    }
  } else if (isJsonObject(expected) && isJsonObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    for (const key of keys) collect(found, `${at} .${key}`, expected[key], actual[key]);
  } else if (expected !== actual) {
    found.push({ at, expected, actual });
  }
}

/** Prints differences for a reader. */
export function printDifferences(differences: readonly Difference[], limit = 40): string {
  const lines = differences
    .slice(0, limit)
    .flatMap(({ at, expected, actual }) => [`  ${at}`, `    real: ${brief(expected)}`, `    here: ${brief(actual)}`]);
  if (differences.length > limit) lines.push(`  and ${differences.length - limit} more`);
  return lines.join('\n');
}

function brief(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}... (${text.length} characters)` : text;
}
