/** Which rule an object's name follows. */
export type NameRule = 'dns-subdomain' | 'dns-label' | 'path-segment' | 'none';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainPattern = `${label}(\\.${label})*`;
const labelExpression = new RegExp(`^${label}$`);
const subdomainExpression = new RegExp(`^${subdomainPattern}$`);
const qualifiedPattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const qualifiedExpression = new RegExp(`^${qualifiedPattern}$`);
const labelValuePattern = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const labelValueExpression = new RegExp(`^${labelValuePattern}$`);

/** What is wrong with a DNS-1123 label, in Kubernetes' words; empty when nothing is. */
export function dnsLabelFaults(value: string): string[] {
  const faults: string[] = [];
  if (value.length > 63) faults.push('must be no more than 63 characters');
  if (!labelExpression.test(value)) {
    faults.push(
      `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
    );
  }
  return faults;
}

/** What is wrong with a DNS-1123 subdomain, in Kubernetes' words. */
export function dnsSubdomainFaults(value: string): string[] {
  const faults: string[] = [];
  if (value.length > 253) faults.push('must be no more than 253 characters');
  if (!subdomainExpression.test(value)) {
    faults.push(
      `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainPattern}')`,
    );
  }
  return faults;
}

/** What is wrong with a name used as one path segment (RBAC kinds). */
export function pathSegmentFaults(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  const faults: string[] = [];
  for (const piece of ['/', '%']) if (value.includes(piece)) faults.push(`may not contain '${piece}'`);
  return faults;
}

/** What is wrong with a name under its kind's rule. */
export function nameFaults(rule: NameRule, value: string): string[] {
  if (rule === 'dns-label') return dnsLabelFaults(value);
  if (rule === 'dns-subdomain') return dnsSubdomainFaults(value);
  return rule === 'path-segment' ? pathSegmentFaults(value) : [];
}

/** What is wrong with a label or annotation key (`prefix/name`). */
export function qualifiedNameFaults(value: string): string[] {
  const parts = value.split('/');
  const faults: string[] = [];
  let name = parts[0] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    name = parts[1] ?? '';
    if (prefix === '') faults.push('prefix part must be non-empty');
    else faults.push(...dnsSubdomainFaults(prefix).map((f) => `prefix part ${f}`));
  } else if (parts.length > 2) {
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPattern}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (name === '') faults.push('name part must be non-empty');
  else if (name.length > 63) faults.push('name part must be no more than 63 characters');
  if (!qualifiedExpression.test(name)) {
    faults.push(
      `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPattern}')`,
    );
  }
  return faults;
}

/** What is wrong with a label's value. */
export function labelValueFaults(value: string): string[] {
  const faults: string[] = [];
  if (value.length > 63) faults.push('must be no more than 63 characters');
  if (!labelValueExpression.test(value)) {
    faults.push(
      `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${labelValuePattern}')`,
    );
  }
  return faults;
}
