import { compareBytes } from '../../schema/index.ts';
import type { LabelSelector } from '../meta/selectors.ts';

/** A label selector as kubectl shows it: `a=b,c in (d,e),!f`. */
export function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return '<none>';
  const terms: [string, string][] = Object.entries(selector.matchLabels ?? {}).map(([k, v]) => [k, `${k}=${v}`]);
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const list = `(${[...values].sort(compareBytes).join(',')})`;
    if (operator === 'In') terms.push([key, `${key} in ${list}`]);
    else if (operator === 'NotIn') terms.push([key, `${key} notin ${list}`]);
    else terms.push([key, operator === 'Exists' ? key : `!${key}`]);
  }
  terms.sort(([a], [b]) => compareBytes(a, b));
  return terms.length === 0 ? '<none>' : terms.map(([, text]) => text).join(',');
}
