import type { ApiClient } from './apiserver-client.ts';
import { widget, widgetPath } from './apiserver-fixture.ts';

/** Bytes that are no HTTP request, or not quite one, and the answers they get. */
export interface BrokenRequest {
  readonly name: string;
  bytes(client: ApiClient): string;
  /** The client closes its side after sending. */
  readonly endsAfter?: boolean;
  readonly codes: readonly number[];
}

const post = `POST ${widgetPath()} HTTP/1.1`;
const version = 'GET /version HTTP/1.1';
const close = 'Connection: close';
const body = JSON.stringify(widget('broken'));

function withHeaders(name: string, headers: readonly string[], code: number, requestLine = version): BrokenRequest {
  return { name, bytes: (client) => client.head(requestLine, headers), codes: [code] };
}

function withBody(name: string, headers: readonly string[], text: string, code: number): BrokenRequest {
  const isCut = code === 504;
  return { name, bytes: (client) => client.head(post, [...headers, close]) + text, endsAfter: isCut, codes: [code] };
}

/** What comes in below HTTP, or breaks it. */
export const brokenRequests: readonly BrokenRequest[] = [
  { name: 'what is not HTTP', bytes: () => 'hello there\r\n\r\n', codes: [400] },
  { name: 'a request line alone', bytes: () => 'GET /\r\n', endsAfter: true, codes: [400] },
  { name: 'a preface of HTTP/2', bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', codes: [400] },
  { name: 'a request of HTTP/3.0', bytes: (client) => client.head('GET /version HTTP/3.0', [close]), codes: [400] },
  { name: 'a request of HTTP/1.0', bytes: (client) => client.head('GET /healthz HTTP/1.0'), codes: [200] },
  {
    name: 'three requests at once',
    bytes: (client) =>
      client.head(version) + client.head(`GET ${widgetPath('none')} HTTP/1.1`) + client.head(version, [close]),
    codes: [200, 404, 200],
  },
  {
    name: 'a good request followed by rubbish',
    bytes: (client) => `${client.head(version)}rubbish\r\n\r\n`,
    codes: [200, 400],
  },
  withHeaders('a header without a colon', ['nonsense'], 400),
  withHeaders('a header with a NUL byte', ['X: a\0b'], 400),
  withHeaders('a header with a space before its colon', ['X : b'], 400),
  withHeaders('a header that is folded', ['X: b', ' c'], 400),
  withHeaders('a header of 2 MiB', [`X: ${'x'.repeat(2 << 20)}`], 431),
  withHeaders(
    '100,000 headers',
    Array.from({ length: 100_000 }, (_, i) => `X-${i}: 1`),
    431,
  ),
  withHeaders('a URL of 2 MiB', [close], 431, `GET /version?${'x'.repeat(2 << 20)} HTTP/1.1`),
  withHeaders('a URL with a space', [close], 400, 'GET /ver sion HTTP/1.1'),
  withHeaders('a URL with a control character', [close], 400, 'GET /ver\x01sion HTTP/1.1'),
  withHeaders('a whole URL', [close], 200, 'GET https://localhost/version HTTP/1.1'),
  withHeaders('an expectation that is not met', ['Expect: magic', close], 417),
  withBody('a body cut short', ['Content-Length: 1000'], body, 504),
  withBody('a chunked body cut short', ['Transfer-Encoding: chunked'], 'ff\r\nabc', 504),
  withBody('a chunk of broken length', ['Transfer-Encoding: chunked'], 'zz\r\n', 500),
  withBody('both a length and chunks', ['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n', 400),
  withBody('two lengths', ['Content-Length: 5', 'Content-Length: 6'], body, 400),
  withBody('a negative length', ['Content-Length: -5'], body, 400),
  withBody('a length past 64 bits', ['Content-Length: 99999999999999999999999'], body, 400),
  withBody('a body announced too large, which never comes', ['Content-Length: 9000000'], '', 413),
];
