const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

/** What a string or bytes literal holds, or what is wrong with it. */
export type Unescaped<T> = { readonly value: T } | { readonly error: string };

/** The text of a string literal, quotes and prefix included in the input. */
export function unescapeString(literal: string): Unescaped<string> {
  const { body, isRaw } = stripQuotes(literal);
  if (isRaw || !body.includes('\\')) return { value: body };
  let error: string | undefined;
  const value = body.replace(
    /\\(U[0-9a-fA-F]{8}|u[0-9a-fA-F]{4}|[xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|.)/gs,
    (_, code: string) => {
      const point = numericEscape(code);
      if (point === undefined) return escapes[code] ?? '';
      if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
        error = 'invalid unicode code point';
        return '';
      }
      return String.fromCodePoint(point);
    },
  );
  return error === undefined ? { value } : { error };
}

/** The bytes of a bytes literal; octal and hex escapes are bytes, not characters. */
export function unescapeBytes(literal: string): Unescaped<Uint8Array> {
  const { body, isRaw } = stripQuotes(literal.slice(1));
  if (isRaw) return { value: Buffer.from(body) };
  const parts: Uint8Array[] = [];
  for (const part of body.match(/\\(?:U.{8}|u.{4}|[xX]..|[0-3]..|.)|[^\\]+/gs) ?? []) {
    if (!part.startsWith('\\')) {
      parts.push(Buffer.from(part));
      continue;
    }
    const code = part.slice(1);
    if (/^[uU]/.test(code)) return { error: 'unable to unescape string' };
    const byte = numericEscape(code);
    parts.push(byte === undefined ? Buffer.from(escapes[code] ?? '') : Uint8Array.of(byte));
  }
  return { value: Buffer.concat(parts) };
}

function numericEscape(code: string): number | undefined {
  if (code.length === 1) return undefined;
  return /^[0-3]/.test(code) ? Number.parseInt(code, 8) : Number.parseInt(code.slice(1), 16);
}

function stripQuotes(literal: string): { body: string; isRaw: boolean } {
  const isRaw = /^[rR]/.test(literal);
  const quoted = (isRaw ? literal.slice(1) : literal).replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const width = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(width, -width), isRaw };
}
