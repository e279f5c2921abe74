const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label1123}(\\.${label1123})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualified})?`;
const qualifiedWords =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** A rule for names: what Kubernetes says when a text breaks it. */
interface NameRule {
  readonly expression: RegExp;
  readonly maxLength: number;
  readonly words: string;
}

function rule(pattern: string, maxLength: number, words: string, examples: readonly string[]): NameRule {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  const hint = `(e.g. ${shown}regex used for validation is '${pattern}')`;
  return { expression: new RegExp(`^(?:${pattern})$`), maxLength, words: `${words} ${hint}` };
}

const label1035Rule = rule(
  label1035,
  63,
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  ['my-name', 'abc-123'],
);
const label1123Rule = rule(
  label1123,
  63,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  ['my-name', '123-abc'],
);
const subdomainRule = rule(
  subdomain,
  253,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  ['example.com'],
);
const labelValueRule = rule(
  labelValue,
  63,
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  ['MyValue', 'my_value', '12345'],
);
const qualifiedRule = rule(qualified, 63, qualifiedWords, ['MyName', 'my.name', '123-abc']);

function faultsOf(value: string, { expression, maxLength, words }: NameRule): string[] {
  const faults: string[] = [];
  if (Buffer.byteLength(value) > maxLength) faults.push(`must be no more than ${maxLength} characters`);
  if (!expression.test(value)) faults.push(words);
  return faults;
}

/** What is wrong with a DNS-1035 label (starts with a letter), in Kubernetes' words; empty when nothing is. */
export function label1035Faults(value: string): string[] {
  return faultsOf(value, label1035Rule);
}

/** What is wrong with a DNS-1123 label. */
export function label1123Faults(value: string): string[] {
  const faults = faultsOf(value, label1123Rule);
  return faults.map((fault) =>
    fault === label1123Rule.words && subdomainRule.expression.test(value) ? 'must not contain dots' : fault,
  );
}

/** What is wrong with a DNS-1123 subdomain. */
export function subdomainFaults(value: string): string[] {
  return faultsOf(value, subdomainRule);
}

/** What is wrong with a label's value. */
export function labelValueFaults(value: string): string[] {
  return faultsOf(value, labelValueRule);
}

/** What is wrong with a `prefix/name` as labels, annotations and finalizers have them. */
export function qualifiedNameFaults(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    const words = `a qualified name ${qualifiedRule.words}`;
    return [`${words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const faults: string[] = [];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined) faults.push(...subdomainFaults(prefix).map((fault) => `prefix part ${fault}`));
  if (name === '') faults.push('name part must be non-empty');
  return [...faults, ...faultsOf(name, qualifiedRule).map((fault) => `name part ${fault}`)];
}

/** What is wrong with a name that becomes one segment of a URL path. */
export function pathSegmentFaults(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}
