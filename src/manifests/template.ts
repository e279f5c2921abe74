import { type Condition, holds, valueAt } from './condition.ts';

/** Something of an object that is there only under a condition: a field or an item of a list. */
export class Optional {
  readonly when: Condition;
  readonly value: Template;
  constructor(when: Condition, value: Template) {
    this.when = when;
    this.value = value;
  }
}

/** An object with places that values fill in. */
export type Template =
  | string
  | number
  | boolean
  | Optional
  | readonly Template[]
  | { readonly [key: string]: Template };

/** One object or several that come and go together. */
export interface Part {
  /** Of the file of the chart that it is in. */
  readonly file: string;
  readonly objects: readonly { readonly [key: string]: Template }[];
  readonly when?: Condition;
  /** Once for each tenant; `tenant` is its namespace. */
  readonly isPerTenant?: boolean;
  /** In the plain manifests only: Helm has its own way. */
  readonly isPlainOnly?: boolean;
}

/** The place of a value, alone or within a text. Characters that no name, address or version has mark it. */
export function value(path: string): string {
  return `«${path}»`;
}

/** The place of a value as a text, whatever it is. */
export function text(path: string): string {
  return `«${path}!»`;
}

/** The place of the namespace of a tenant. */
export const tenant = value('tenant');

const wholePlace = /^«([^»]+)»$/;
const anyPlace = /«([^»]+)»/g;

/** The value that a text is as a whole, and whether it is wanted as a text. */
export function placeOf(whole: string): { readonly path: string; readonly isText: boolean } | undefined {
  const found = wholePlace.exec(whole)?.[1];
  if (found === undefined) return undefined;
  return found.endsWith('!') ? { path: found.slice(0, -1), isText: true } : { path: found, isText: false };
}

/** Replaces each place within a text. */
export function replacePlaces(within: string, replace: (path: string) => string): string {
  return within.replaceAll(anyPlace, (_, path: string) => replace(path));
}

/** Fills in values. */
export function fill(template: Template, values: object): unknown {
  if (typeof template === 'string') {
    const whole = placeOf(template);
    if (whole?.isText === true) return String(valueAt(values, whole.path));
    if (whole !== undefined) return structuredClone(valueAt(values, whole.path));
    return replacePlaces(template, (path) => String(valueAt(values, path)));
  }
  if (typeof template !== 'object') return template;
  if (template instanceof Optional) return fill(template.value, values);
  if (Array.isArray(template)) {
    return template.filter((each) => isPresent(each, values)).map((each: Template) => fill(each, values));
  }
  const fields = Object.entries(template as Record<string, Template>).filter(([, each]) => isPresent(each, values));
  return Object.fromEntries(fields.map(([key, each]) => [key, fill(each, values)]));
}

function isPresent(template: Template, values: object): boolean {
  return !(template instanceof Optional) || holds(template.when, values);
}
