import type { AnyKubeObject } from '../../kube/index.ts';
import { redactedMark, redactText } from '../../telemetry/index.ts';

/** Takes secrets out of what leaves the house. Stricter than what is done to logs: a bundle goes to strangers. */
export interface Redactor {
  text(text: string): string;
  /** A copy of any JSON value. */
  value(value: unknown): unknown;
}

const secretName =
  /pass(word|wd|phrase|code)|secret|token|credential|api-?key|private-?key|authorization|cookie|user-?data/i;
/** Fields that only say where a secret is. */
const harmlessName = /(refs?|names?|namespace|file|version|continue|count|kind)$/i;

/** Makes a redactor that also knows some secrets by their values, wherever they turn up. */
export function createRedactor(known: readonly string[] = []): Redactor {
  const shapes = [...new Set(known.flatMap(shapesOf))].toSorted((a, b) => b.length - a.length);
  const text = (given: string): string => {
    let safe = redactText(given)
      .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]+@/gi, `$1${redactedMark}@`)
      .replaceAll(
        /\b([\w-]*(?:password|passwd|passphrase|secret|token|api[-_]?key|signature|credential)s?)(["']?\s*[:=]\s*["']?)(?!\[redacted\])[^\s"'&,;]+/gi,
        `$1$2${redactedMark}`,
      );
    for (const shape of shapes) safe = safe.replaceAll(shape, redactedMark);
    return safe;
  };
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given);
    if (Array.isArray(given)) return given.map(value);
    if (typeof given !== 'object' || given === null) return given;
    const entries = Object.entries(given).map(([name, field]) => [
      text(name),
      isSecret(name, field) ? redactedMark : value(field),
    ]);
    return Object.fromEntries(entries);
  };
  return { text, value };
}

function isSecret(name: string, field: unknown): boolean {
  const holds = typeof field === 'string' ? field !== '' : typeof field === 'object' && field !== null;
  return holds && secretName.test(name) && !harmlessName.test(name);
}

/** A secret as it is, and as it looks in URLs, in Secrets and in log-ins. */
function shapesOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64, base64.replace(/=+$/, '')];
}

/** Entries of Secrets that are no secret, and words that are found everywhere. */
const harmlessEntry = /^(namespace|ca\.crt|tls\.crt|type)$/;
const shortest = 5;

/** The values of Secrets by which they are found elsewhere; short ones are found everywhere. */
export function valuesOfSecrets(secrets: readonly AnyKubeObject[]): string[] {
  return secrets.flatMap((secret) => {
    const { data = {}, stringData = {} } = secret as {
      data?: Record<string, string>;
      stringData?: Record<string, string>;
    };
    const plain = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()] as const);
    return [...plain, ...Object.entries(stringData)].flatMap(([key, value]) =>
      harmlessEntry.test(key) || value.trim().length < shortest || value.trim() === 'admin' ? [] : [value.trim()],
    );
  });
}

/** An object as it may be shown: without who owns which field, and without copies of itself in annotations. */
export function bareObject(object: AnyKubeObject): AnyKubeObject {
  const { managedFields: _, annotations = {}, ...metadata } = object.metadata ?? {};
  const kept = Object.entries(annotations).filter(([name]) => !name.endsWith('/last-applied-configuration'));
  const isHolder = object.kind === 'Secret' || object.kind === 'BMCSecret';
  const shown = {
    ...object,
    metadata: { ...metadata, ...(isHolder || kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
  };
  return isHolder ? withSizes(shown) : shown;
}

/** What a Secret has, and how long it is. */
function withSizes(object: AnyKubeObject): AnyKubeObject {
  const { data, stringData, ...rest } = object as {
    data?: Record<string, string>;
    stringData?: Record<string, string>;
  };
  const entries = [
    ...Object.entries(data ?? {}).map(([name, value]) => ({ name, bytes: Buffer.from(value, 'base64').length })),
    ...Object.entries(stringData ?? {}).map(([name, value]) => ({ name, bytes: value.length })),
  ];
  return { ...rest, entries } as AnyKubeObject;
}
