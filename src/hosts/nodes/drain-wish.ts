import type { BareMetalHost } from '../../api/index.ts';
import { annotationsOf } from '../annotations/read-annotations.ts';
import { annotations, drainedNode } from '../resources.ts';

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** How long the Node of a host may take to be drained; undefined where nobody asks for that. */
export function drainLimitOf(host: BareMetalHost, usualMs: number): number | undefined {
  const value = annotationsOf(host)[annotations.drain];
  if (value === undefined || value === 'false') return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([smh])$/.exec(value) ?? [];
  return count === undefined ? usualMs : Number(count) * (unitMs[unit] ?? 1);
}

/** The Node that was drained for a host and not given back. */
export function drainedNodeOf(host: BareMetalHost): string | undefined {
  return annotationsOf(host)[drainedNode];
}
