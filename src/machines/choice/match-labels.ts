import type { Metal3MachineSpec } from '../../api/index.ts';

/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** One requirement on a label: of a hostSelector, or of a selector as the rest of Kubernetes has them. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** Which labels an object must have. */
export interface Selector {
  readonly matchLabels?: Labels | undefined;
  readonly matchExpressions?: readonly Requirement[] | undefined;
}

/** The hostSelector of a machine. */
export type HostSelector = NonNullable<Metal3MachineSpec['hostSelector']>;

/** True when a selector asks for nothing, and thus takes everything. */
export function isEmptySelector(selector: Selector | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;
}

/** True when labels are as a selector asks for. */
export function matchesLabels(selector: Selector | undefined, labels: Labels = {}): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const isSame = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return isSame && matchExpressions.every((each) => isMet(each, labels[each.key]));
}

/** Operators as people write them: any mix of cases is taken. What is not known matches nothing. */
function isMet({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator.toLowerCase()) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
    case 'doesnotexist':
      return value === undefined;
    case 'gt':
      return isWhole(value) && isWhole(values[0]) && BigInt(value) > BigInt(values[0]);
    case 'lt':
      return isWhole(value) && isWhole(values[0]) && BigInt(value) < BigInt(values[0]);
    default:
      return false;
  }
}

function isWhole(text: string | undefined): text is string {
  return text !== undefined && /^-?\d{1,30}$/.test(text);
}
