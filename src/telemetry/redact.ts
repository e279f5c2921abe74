const secretName =
  /pass(word|wd|phrase)?$|secret$|token$|^authorization$|^cookie$|^set-cookie$|private-?key|client-?key(-data)?$|api-?key$|credential|^userinfo$/i;
const harmlessName = /(ref|refs|name|names|namespace|continue)$/i;
const secretKinds = new Set(['Secret', 'BMCSecret']);
const maxDepth = 8;

/** What a redacted value is replaced with. */
export const redactedMark = '[redacted]';

/** True when a field of this name holds a secret whatever its value is. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !harmlessName.test(name);
}

/** Takes bearer tokens, basic credentials, log-ins and signatures in URLs, and PEM private keys out of free text. */
export function redactText(text: string): string {
  return (
    text
      .replace(/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${redactedMark}`)
      // A token may be a user without a password; a schema is short, and a bound keeps long words from costing much.
      .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]+@/gi, `$1${redactedMark}@`)
      .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:]*:[^\s/@]+@/gi, `$1${redactedMark}@`)
      .replace(/(token|password|passwd|secret|signature|\bsig|api[-_]?key)=[^\s&"']+/gi, `$1=${redactedMark}`)
      .replace(/("[\w-]*(?:token|password|passwd|secret)\\*"\s*:\s*\\*")(?:[^"\\]|\\[^"])+/gi, `$1${redactedMark}`)
      .replace(/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(-----END \1-----|$)/g, redactedMark)
  );
}

/** A copy of any value that is safe to log: secrets by field name, by kind (Secret data) and inside text are replaced. */
export function redact(value: unknown): unknown {
  return redactAt(value, 0, new Set());
}

function redactAt(value: unknown, depth: number, seen: Set<object>): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return '[deep]';
  if (seen.has(value)) return '[circular]';
  seen.add(value);
  const result = redactObject(value, depth, seen);
  seen.delete(value);
  return result;
}

function redactObject(value: object, depth: number, seen: Set<object>): unknown {
  if (value instanceof Error) return redactError(value, depth, seen);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redactAt(item, depth + 1, seen));
  const record = value as Record<string, unknown>;
  const holdsData = typeof record.kind === 'string' && secretKinds.has(record.kind);
  const safe = Object.entries(record).map(([name, field]) => {
    const isHidden = field !== undefined && (isSecretName(name) || (holdsData && /^(data|stringData)$/.test(name)));
    return [name, isHidden ? redactedMark : redactAt(field, depth + 1, seen)];
  });
  // Unlike assigning, this takes a field named __proto__ for a field.
  return Object.fromEntries(safe);
}

function redactError(error: Error, depth: number, seen: Set<object>): unknown {
  return {
    type: error.name,
    message: redactText(error.message),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redactAt(error.cause, depth + 1, seen) }),
  };
}

/** A URL without the log-in and the signatures that it may hold: those are for the process that fetches it. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return redactText(url);
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '') return redactText(url);
  parsed.username = '';
  parsed.password = '';
  return redactText(parsed.href);
}
