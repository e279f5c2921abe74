import { ValueList } from '../collections.ts';
import type { Library } from '../declarations.ts';
import { secondsOfDate } from '../time.ts';
import { parseRequestUrl, UrlError } from '../url.ts';
import { CelOpaque, CelOptional, type Value } from '../values.ts';

/** A format that strings can be checked against: what is wrong with a string, and how long its expression is. */
class CelFormat extends CelOpaque {
  override readonly typeName = 'kubernetes.NamedFormat';
  readonly regexSize: number;
  readonly problems: (text: string) => string[];

  constructor(regexSize: number, problems: (text: string) => string[]) {
    super();
    this.regexSize = regexSize;
    this.problems = problems;
  }

  override equals(other: CelOpaque): boolean {
    return other === this;
  }
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualified})?`;

const isAll = (pattern: string, text: string): boolean => new RegExp(`^${pattern}$`).test(text);

function mustMatch(problem: string, pattern: string, ...examples: string[]): string {
  return `${problem} (e.g. ${examples.map((example) => `'${example}'`).join(',  or ')}, regex used for validation is '${pattern}')`;
}

function tooLong(text: string, max: number): string[] {
  return text.length > max ? [`must be no more than ${max} characters`] : [];
}

const edges = 'and must start and end with an alphanumeric character';

function dnsLabel(text: string): string[] {
  const problems = tooLong(text, 63);
  if (isAll(label, text)) return problems;
  const problem = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${edges}`;
  return [
    ...problems,
    isAll(subdomain, text) ? 'must not contain dots' : mustMatch(problem, label, 'my-name', '123-abc'),
  ];
}

function dnsSubdomain(text: string): string[] {
  const problem = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${edges}`;
  const problems = tooLong(text, 253);
  return isAll(subdomain, text) ? problems : [...problems, mustMatch(problem, subdomain, 'example.com')];
}

function dns1035Label(text: string): string[] {
  const problem =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  const problems = tooLong(text, 63);
  return isAll(label1035, text) ? problems : [...problems, mustMatch(problem, label1035, 'my-name', 'abc-123')];
}

/** A prefix of a name may end in a dash, because something follows; the reference also forgives the character before it. */
function asPrefix(problems: (text: string) => string[]): (text: string) => string[] {
  return (text) => problems(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}

function qualifiedName(text: string): string[] {
  const consists = mustMatch(
    `must consist of alphanumeric characters, '-', '_' or '.', ${edges}`,
    qualified,
    'MyName',
    'my.name',
    '123-abc',
  );
  const parts = text.split('/');
  if (parts.length > 2) {
    return [`a qualified name ${consists} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) as string;
  const prefix = parts.length === 2 ? (parts[0] as string) : undefined;
  const problems: string[] = [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) problems.push(...dnsSubdomain(prefix).map((problem) => `prefix part ${problem}`));
  if (name === '') problems.push('name part must be non-empty');
  else problems.push(...tooLong(name, 63).map((problem) => `name part ${problem}`));
  if (!isAll(qualified, name)) problems.push(`name part ${consists}`);
  return problems;
}

function labelValueProblems(text: string): string[] {
  const problem = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${edges}`;
  const problems = tooLong(text, 63);
  return isAll(labelValue, text)
    ? problems
    : [...problems, mustMatch(problem, labelValue, 'MyValue', 'my_value', '12345')];
}

function uri(text: string): string[] {
  try {
    parseRequestUrl(text);
    return [];
  } catch (error) {
    if (error instanceof UrlError) return [error.message];
    throw error;
  }
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match !== null && secondsOfDate(Number(match[1]), Number(match[2]), Number(match[3])) !== undefined;
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const match = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  return isDate(date) && match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

function unless(isValid: (text: string) => boolean, problem: string): (text: string) => string[] {
  return (text) => (isValid(text) ? [] : [problem]);
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

const formats: Readonly<Record<string, CelFormat>> = {
  dns1123Label: new CelFormat(30, dnsLabel),
  dns1123Subdomain: new CelFormat(60, dnsSubdomain),
  dns1035Label: new CelFormat(30, dns1035Label),
  qualifiedName: new CelFormat(60, qualifiedName),
  dns1123LabelPrefix: new CelFormat(30, asPrefix(dnsLabel)),
  dns1123SubdomainPrefix: new CelFormat(60, asPrefix(dnsSubdomain)),
  dns1035LabelPrefix: new CelFormat(30, asPrefix(dns1035Label)),
  labelValue: new CelFormat(40, labelValueProblems),
  uri: new CelFormat(1103, uri),
  uuid: new CelFormat(
    70,
    unless((text) => uuid.test(text), 'does not match the UUID format'),
  ),
  byte: new CelFormat(
    84,
    unless((text) => base64.test(text), 'invalid base64'),
  ),
  date: new CelFormat(70, unless(isDate, 'invalid date')),
  datetime: new CelFormat(70, unless(isDateTime, 'invalid datetime')),
};

function validate(format: Value, text: Value): Value {
  const problems = (format as CelFormat).problems(text as string);
  return problems.length === 0 ? CelOptional.none : CelOptional.of(new ValueList(problems));
}

function named(name: Value): Value {
  const format = Object.hasOwn(formats, name as string) ? formats[name as string] : undefined;
  return format === undefined ? CelOptional.none : CelOptional.of(format);
}

const type = 'kubernetes.NamedFormat';

/** Named formats. */
export const formatLibrary: Library = {
  ...Object.fromEntries(
    Object.entries(formats).map(([name, format]) => {
      return [`format.${name}`, { [`format.${name}`]: [`() -> ${type}`, (): Value => format] as const }];
    }),
  ),
  'format.named': { 'format-named': [`(string) -> optional(${type})`, named] },
  validate: { 'format-validate': [`${type}.(string) -> optional(list(string))`, validate] },
};
