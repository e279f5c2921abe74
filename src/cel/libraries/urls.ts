import { ValueList, ValueMap } from '../collections.ts';
import type { Library } from '../declarations.ts';
import { CelError } from '../errors.ts';
import { type CelUrl, parseRequestUrl, UrlError } from '../url.ts';
import type { Value } from '../values.ts';

function toUrl(text: Value): Value {
  try {
    return parseRequestUrl(text as string);
  } catch (cause) {
    if (!(cause instanceof UrlError)) throw cause;
    throw new CelError(`URL parse error during conversion from string: ${cause.message}`, 'evaluation', { cause });
  }
}

function isUrl(text: Value): Value {
  try {
    parseRequestUrl(text as string);
    return true;
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

function query(url: Value): Value {
  return ValueMap.of(Array.from((url as CelUrl).query, ([key, values]) => [key, new ValueList(values)] as const));
}

const type = 'kubernetes.URL';

/** URLs. */
export const urlLibrary: Library = {
  url: { string_to_url: [`(string) -> ${type}`, toUrl] },
  isURL: { is_url_string: ['(string) -> bool', isUrl] },
  getScheme: { url_get_scheme: [`${type}.() -> string`, (url) => (url as CelUrl).parts.scheme] },
  getHost: { url_get_host: [`${type}.() -> string`, (url) => (url as CelUrl).parts.host] },
  getHostname: { url_get_hostname: [`${type}.() -> string`, (url) => (url as CelUrl).hostname] },
  getPort: { url_get_port: [`${type}.() -> string`, (url) => (url as CelUrl).port] },
  getEscapedPath: { url_get_escaped_path: [`${type}.() -> string`, (url) => (url as CelUrl).escapedPath] },
  getQuery: { url_get_query: [`${type}.() -> map(string, list(string))`, query] },
};
