import { RE2JS } from 're2js';
import type { Bios } from './bios.ts';
import type { BiosAttribute, BiosValue } from './bios-registry.ts';

/** What is wrong with one wish. */
export interface BiosProblem {
  readonly attribute: string;
  readonly problem: 'unknown' | 'read-only' | 'bad-type' | 'bad-value' | 'out-of-bounds';
  readonly message: string;
}

/** What a wish comes to. */
export interface BiosPlan {
  /** To be staged, in the types that the BIOS wants. */
  readonly changes: ReadonlyMap<string, BiosValue>;
  /** So already, or staged already. */
  readonly unchanged: readonly string[];
  /** Nothing is staged while there is one. */
  readonly problems: readonly BiosProblem[];
}

type Checked =
  | { readonly value: BiosValue; readonly problem?: undefined }
  | { readonly problem: BiosProblem['problem']; readonly message: string };

/** Compares wished-for attributes with what is there, checks them against the registry, and brings them into its types. */
export function planBiosChange(bios: Bios, wished: Readonly<Record<string, BiosValue>>): BiosPlan {
  const changes = new Map<string, BiosValue>();
  const unchanged: string[] = [];
  const problems: BiosProblem[] = [];
  for (const [attribute, value] of Object.entries(wished)) {
    const checked = check(bios, attribute, value);
    if (checked.problem !== undefined) problems.push({ attribute, problem: checked.problem, message: checked.message });
    else if ((bios.pending.get(attribute) ?? bios.current.get(attribute)) === checked.value) unchanged.push(attribute);
    else changes.set(attribute, checked.value);
  }
  return { changes, unchanged, problems };
}

function check(bios: Bios, name: string, wished: BiosValue): Checked {
  const attribute = bios.registry?.get(name);
  const current = bios.current.get(name);
  if (attribute === undefined && current === undefined) return unknownName(bios, name);
  if (attribute === undefined) return checkByValue(name, { wished, current });
  const checked = checkByRegistry(attribute, wished);
  // To ask for what is there already is no change, and no harm.
  const isSame = checked.problem === undefined && checked.value === current;
  if (attribute.isReadOnly && !isSame) return { problem: 'read-only', message: `${name} cannot be changed` };
  return checked;
}

function unknownName(bios: Bios, name: string): Checked {
  const names = new Set([...bios.current.keys(), ...(bios.registry?.keys() ?? [])]);
  const near = [...names].find((each) => each.toLowerCase() === name.toLowerCase());
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return { problem: 'unknown', message: `this BIOS has no attribute ${name}${hint}` };
}

/** Without a registry the type of today's value is all there is to go by. */
function checkByValue(
  name: string,
  about: { readonly wished: BiosValue; readonly current: BiosValue | undefined },
): Checked {
  const { wished, current } = about;
  if (typeof wished === typeof current || current === undefined) return { value: wished };
  if (typeof current === 'number') return toInteger(name, wished);
  if (typeof current === 'boolean') return toBoolean(name, wished);
  return { value: String(wished) };
}

function checkByRegistry(attribute: BiosAttribute, wished: BiosValue): Checked {
  switch (attribute.type) {
    case 'Enumeration':
      return checkEnumeration(attribute, wished);
    case 'Integer':
      return checkInteger(attribute, wished);
    case 'Boolean':
      return toBoolean(attribute.name, wished);
    case 'String':
    case 'Password':
      return checkText(attribute, wished);
    case 'Other':
      return { value: wished };
  }
}

function checkEnumeration({ name, values }: BiosAttribute, wished: BiosValue): Checked {
  if (values.length === 0) return { value: wished };
  const text = String(wished).trim();
  const fold = (each: string | undefined) => (each ?? '').trim().toLowerCase();
  const found =
    values.find(({ value }) => value === text) ??
    values.find(({ value }) => fold(value) === fold(text)) ??
    values.find(({ shown }) => shown !== undefined && fold(shown) === fold(text));
  if (found !== undefined) return { value: found.value };
  const allowed = values.map(({ value }) => value).join(', ');
  return { problem: 'bad-value', message: `${name} cannot be ${text}; it can be ${allowed}` };
}

function checkInteger(attribute: BiosAttribute, wished: BiosValue): Checked {
  const { name, lowerBound, upperBound, increment } = attribute;
  const checked = toInteger(name, wished);
  if (checked.problem !== undefined || typeof checked.value !== 'number') return checked;
  const { value } = checked;
  const isBelow = lowerBound !== undefined && value < lowerBound;
  const isAbove = upperBound !== undefined && value > upperBound;
  if (isBelow || isAbove) {
    const bounds = `from ${lowerBound ?? 'any'} to ${upperBound ?? 'any'}`;
    return { problem: 'out-of-bounds', message: `${name} cannot be ${value}; it can be ${bounds}` };
  }
  if (increment !== undefined && increment > 1 && (value - (lowerBound ?? 0)) % increment !== 0) {
    return { problem: 'bad-value', message: `${name} cannot be ${value}; it goes in steps of ${increment}` };
  }
  return checked;
}

function checkText(attribute: BiosAttribute, wished: BiosValue): Checked {
  const { name, minLength, maxLength, pattern } = attribute;
  const text = String(wished);
  if (text.length < (minLength ?? 0) || text.length > (maxLength ?? Number.POSITIVE_INFINITY)) {
    const bounds = `${minLength ?? 0} to ${maxLength ?? 'any number of'} characters`;
    return { problem: 'out-of-bounds', message: `${name} must have ${bounds}; it would have ${text.length}` };
  }
  // The expression is the vendor's, so it runs in an engine that takes linear time.
  if (pattern !== undefined && !mayMatch(pattern, text)) {
    return { problem: 'bad-value', message: `${name} must be of the form ${pattern}` };
  }
  return { value: text };
}

function mayMatch(pattern: string, text: string): boolean {
  try {
    return RE2JS.compile(pattern.replaceAll(/^\/|\/$/g, ''))
      .matcher(text)
      .find();
  } catch {
    // An expression that is none forbids nothing; the BIOS itself will judge.
    return true;
  }
}

function toInteger(name: string, wished: BiosValue): Checked {
  const text = String(wished).trim();
  const value = /^[+-]?\d{1,15}$/.test(text)
    ? Number(text)
    : /^0x[0-9a-f]{1,12}$/i.test(text)
      ? Number(text)
      : undefined;
  if (value !== undefined) return { value };
  return { problem: 'bad-type', message: `${name} must be a whole number, not ${text}` };
}

function toBoolean(name: string, wished: BiosValue): Checked {
  const word = String(wished).trim().toLowerCase();
  if (word === 'true' || word === 'false') return { value: word === 'true' };
  return { problem: 'bad-type', message: `${name} must be true or false, not ${String(wished)}` };
}
