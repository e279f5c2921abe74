const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** True for words that CEL keeps for itself. */
export function isReservedName(name: string): boolean {
  return reserved.has(name);
}

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

const unescapes: ReadonlyMap<string, string> = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
]);

/** The CEL identifier for a property name, or undefined when expressions cannot reach a property of this name. */
export function escapeFieldName(name: string): string | undefined {
  if (/^[a-zA-Z][a-zA-Z0-9]*$/.test(name)) return reserved.has(name) ? `__${name}__` : name;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => escapes[part] as string);
}

/** The property name that an identifier stands for, or undefined when it holds an escape that does not exist. */
export function unescapeFieldName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let isValid = true;
  const name = escaped.replace(/_{2}([^_]+)_{2}/g, (whole, content: string) => {
    const plain = unescapes.get(content);
    if (plain !== undefined) return plain;
    if (!reserved.has(content) || whole.length !== escaped.length) isValid = false;
    return content;
  });
  return isValid ? name : undefined;
}
