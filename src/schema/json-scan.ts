import { goQuote } from './go-text.ts';

// Go refuses deeper nesting than 10,000. Node's own recursion (JSON.stringify, structuredClone) gives out before
// that, so the limit here is lower; no real object comes near either.
const maxDepth = 1000;

type State = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'after-value';

/** Why Go's encoding/json refuses a text, in its words; undefined when the text is JSON. */
export function findJsonFault(text: string): string | undefined {
  const scan: Scan = { text, at: 0, stack: [], state: 'value' };
  for (;;) {
    skipSpace(scan);
    if (scan.at >= text.length) {
      const isDone = scan.stack.length === 0 && scan.state === 'after-value';
      return isDone ? undefined : 'unexpected end of JSON input';
    }
    const fault = step(scan, text.charAt(scan.at));
    if (fault !== undefined) return fault;
  }
}

interface Scan {
  readonly text: string;
  at: number;
  readonly stack: ('{' | '[')[];
  state: State;
}

function skipSpace(scan: Scan): void {
  while (' \t\r\n'.includes(scan.text.charAt(scan.at)) && scan.at < scan.text.length) scan.at++;
}

function step(scan: Scan, char: string): string | undefined {
  switch (scan.state) {
    case 'value-or-end':
      return char === ']' ? close(scan) : startValue(scan, char);
    case 'value':
      return startValue(scan, char);
    case 'key-or-end':
      return char === '}' ? close(scan) : startKey(scan, char);
    case 'key':
      return startKey(scan, char);
    case 'colon':
      if (char !== ':') return invalid(char, 'after object key');
      scan.at++;
      scan.state = 'value';
      return undefined;
    case 'after-value':
      return afterValue(scan, char);
  }
}

function close(scan: Scan): undefined {
  scan.stack.pop();
  scan.at++;
  scan.state = 'after-value';
}

function startKey(scan: Scan, char: string): string | undefined {
  if (char !== '"') return invalid(char, 'looking for beginning of object key string');
  scan.state = 'colon';
  return scanString(scan);
}

function afterValue(scan: Scan, char: string): string | undefined {
  const parent = scan.stack.at(-1);
  if (parent === undefined) return invalid(char, 'after top-level value');
  if (char === (parent === '{' ? '}' : ']')) return close(scan);
  if (char !== ',') return invalid(char, parent === '{' ? 'after object key:value pair' : 'after array element');
  scan.at++;
  scan.state = parent === '{' ? 'key' : 'value';
  return undefined;
}

function startValue(scan: Scan, char: string): string | undefined {
  if (char === '{' || char === '[') {
    scan.stack.push(char);
    if (scan.stack.length > maxDepth) return invalid(char, 'exceeded max depth');
    scan.at++;
    scan.state = char === '{' ? 'key-or-end' : 'value-or-end';
    return undefined;
  }
  scan.state = 'after-value';
  if (char === '"') return scanString(scan);
  if (char === 't') return scanLiteral(scan, 'true');
  if (char === 'f') return scanLiteral(scan, 'false');
  if (char === 'n') return scanLiteral(scan, 'null');
  if (char === '-' || isDigit(char)) return scanNumber(scan);
  return invalid(char, 'looking for beginning of value');
}

// Go feeds one more space at the end of the input, so a cut-off literal complains about a space.
function charAt(scan: Scan): string {
  return scan.at < scan.text.length ? scan.text.charAt(scan.at) : ' ';
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function scanLiteral(scan: Scan, word: string): string | undefined {
  for (const expected of word) {
    const char = charAt(scan);
    if (char !== expected) return invalid(char, `in literal ${word} (expecting '${expected}')`);
    scan.at++;
  }
  return undefined;
}

function scanNumber(scan: Scan): string | undefined {
  if (charAt(scan) === '-') scan.at++;
  if (!isDigit(charAt(scan))) return invalid(charAt(scan), 'in numeric literal');
  if (charAt(scan) === '0') scan.at++;
  else skipDigits(scan);
  if (charAt(scan) === '.') {
    scan.at++;
    if (!isDigit(charAt(scan))) return invalid(charAt(scan), 'after decimal point in numeric literal');
    skipDigits(scan);
  }
  if (charAt(scan) === 'e' || charAt(scan) === 'E') {
    scan.at++;
    if (charAt(scan) === '+' || charAt(scan) === '-') scan.at++;
    if (!isDigit(charAt(scan))) return invalid(charAt(scan), 'in exponent of numeric literal');
    skipDigits(scan);
  }
  return undefined;
}

function skipDigits(scan: Scan): void {
  while (isDigit(charAt(scan))) scan.at++;
}

function scanString(scan: Scan): string | undefined {
  for (scan.at++; scan.at < scan.text.length; scan.at++) {
    const char = charAt(scan);
    if (char === '"') {
      scan.at++;
      return undefined;
    }
    if (char < ' ') return invalid(char, 'in string literal');
    if (char !== '\\') continue;
    scan.at++;
    const fault = scanEscape(scan);
    if (fault !== undefined) return fault;
  }
  return 'unexpected end of JSON input';
}

function scanEscape(scan: Scan): string | undefined {
  const char = charAt(scan);
  if ('bfnrt\\/"'.includes(char)) return undefined;
  if (char !== 'u') return invalid(char, 'in string escape code');
  for (let i = 0; i < 4; i++) {
    scan.at++;
    if (!/[0-9a-fA-F]/.test(charAt(scan))) return invalid(charAt(scan), 'in \\u hexadecimal character escape');
  }
  return undefined;
}

// Go looks at bytes, so a character beyond ASCII shows as its first UTF-8 byte.
function invalid(char: string, where: string): string {
  const byte = char < '\u0080' ? char : String.fromCharCode(Buffer.from(char, 'utf8')[0] ?? 0);
  const shown = byte === "'" ? "\\'" : byte === '"' ? '"' : goQuote(byte).slice(1, -1);
  return `invalid character '${shown}' ${where}`;
}
