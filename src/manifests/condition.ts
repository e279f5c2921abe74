/** When something is part of an installation. Values decide it here, and the same condition is written into the chart. */
export type Condition =
  /** The value is there: not empty, not zero, not false. */
  | { readonly is: string }
  | { readonly equals: readonly [path: string, text: string] }
  | { readonly not: Condition }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

/** Whether a condition holds for values. */
export function holds(condition: Condition, values: unknown): boolean {
  if ('is' in condition) return isThere(valueAt(values, condition.is));
  if ('equals' in condition) return valueAt(values, condition.equals[0]) === condition.equals[1];
  if ('not' in condition) return !holds(condition.not, values);
  if ('all' in condition) return condition.all.every((each) => holds(each, values));
  return condition.any.some((each) => holds(each, values));
}

/** What Helm takes for true. */
function isThere(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** The value at a path such as `image.tag`. */
export function valueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], values);
}

/** The condition in the words of Helm's templates. */
export function helmCondition(condition: Condition): string {
  if ('is' in condition) return `$.Values.${condition.is}`;
  if ('equals' in condition) return `(eq $.Values.${condition.equals[0]} ${JSON.stringify(condition.equals[1])})`;
  if ('not' in condition) return `(not ${helmCondition(condition.not)})`;
  const [word, list] = 'all' in condition ? ['and', condition.all] : ['or', condition.any];
  return `(${word} ${list.map(helmCondition).join(' ')})`;
}
