// The subset of RFC 5322 that Go's net/mail.ParseAddress reads: `user@host`, `Name <user@host>`, `"Name" <user@host>`.

const atom = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.\u0080-\u{10ffff}]+/u;
const quoted = /^"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\u0080-\u{10ffff}]|\\[\t\x20-\x7e\u0080-\u{10ffff}])*"/u;
const domainLiteral = /^\[[\x21-\x5a\x5e-\x7e]*\]/;

/** True when the text is one mail address. */
export function isEmail(text: string): boolean {
  const rest = skipSpace(text);
  const bare = readAddress(rest);
  if (bare !== undefined && skipSpace(bare) === '') return true;
  const afterName = readName(rest);
  if (!afterName.startsWith('<')) return false;
  const afterAddress = readAddress(afterName.slice(1));
  return afterAddress?.startsWith('>') === true && skipSpace(afterAddress.slice(1)) === '';
}

function skipSpace(text: string): string {
  return text.replace(/^[ \t]+/, '');
}

function readName(text: string): string {
  let rest = text;
  for (;;) {
    const word = quoted.exec(rest)?.[0] ?? atom.exec(rest)?.[0];
    if (word === undefined) return rest;
    rest = skipSpace(rest.slice(word.length));
  }
}

function readAddress(text: string): string | undefined {
  const local = readLocalPart(text);
  if (local === undefined || !local.startsWith('@')) return undefined;
  const rest = skipSpace(local.slice(1));
  const literal = domainLiteral.exec(rest)?.[0];
  if (literal !== undefined) return rest.slice(literal.length);
  return readDotAtom(rest);
}

function readLocalPart(text: string): string | undefined {
  const string = quoted.exec(text)?.[0];
  if (string === undefined) return readDotAtom(text);
  return string === '""' ? undefined : skipSpace(text.slice(string.length));
}

function readDotAtom(text: string): string | undefined {
  const word = atom.exec(text)?.[0];
  if (word === undefined || word.startsWith('.') || word.endsWith('.') || word.includes('..')) return undefined;
  return text.slice(word.length);
}
