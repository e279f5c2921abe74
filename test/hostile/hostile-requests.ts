import { gzipSync } from 'node:zlib';
import { fc } from '#fast-check';
import { fuzzRequest } from '../e2e/apiserver-fuzz.ts';
import type { Port } from './target.ts';

/** A request that means no good. With `raw`, bytes instead of HTTP. */
export interface HostileRequest {
  readonly port: Port['name'];
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly raw?: string | undefined;
  /** It takes the server much work, or would. */
  readonly isHeavy?: boolean;
}

/** A path of a REST service and a method that it has. */
export interface Operation {
  readonly method: string;
  readonly path: string;
}

const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };
const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const hosts = '/apis/metal3.io/v1alpha1/baremetalhosts';
const rpc = '/rackwright.update.v1.UpdateService';
const rpcMethods = ['Update', 'Scan', 'Discover', 'UpdateServer', 'TakeJob', 'Heartbeat', 'CancelTask', 'Nothing'];
const mebibyte = 1024 * 1024;

const emptyLists = (count: number): string => `{"spec":{"x":[${'[],'.repeat(count)}[]]}}`;
const fields = (count: number, line: (i: number) => string, between: string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join(between);
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Bodies that take much work for what they weigh: as large as is let in, and larger. */
function heavyBodies(): readonly Pick<HostileRequest, 'headers' | 'body'>[] {
  const gzip = { ...json, 'content-encoding': 'gzip' };
  return [
    { headers: yaml, body: fields(230_000, (i) => `k${i}: v`, '\n') },
    { headers: yaml, body: `${'a: &a [x]\n'}${fields(30_000, (i) => `b${i}: *a`, '\n')}` },
    { headers: yaml, body: `{spec: {x: [${'[],'.repeat(1300)}[]]}}` },
    { headers: yaml, body: `- ${'['.repeat(100_000)}` },
    { headers: json, body: emptyLists(98_000) },
    { headers: json, body: emptyLists(20_000) },
    { headers: json, body: emptyLists(330_000) },
    { headers: json, body: `{${fields(60_000, (i) => `"k${i}":"v"`, ',')}}` },
    { headers: json, body: `{${fields(4000, () => '"a":1', ',')}}` },
    { headers: json, body: nested(100_000) },
    { headers: json, body: `"${'\\ud800'.repeat(100_000)}"` },
    { headers: json, body: '1'.repeat(2 * mebibyte) },
    { headers: json, body: 'x'.repeat(5 * mebibyte) },
    { headers: gzip, body: gzipSync(emptyLists(900_000)) },
    { headers: gzip, body: gzipSync(Buffer.alloc(64 * mebibyte, 0x20)) },
    {
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(mebibyte, 0x0a)]),
    },
    {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n`.repeat(20_000),
    },
    { headers: { 'content-type': 'application/proto' }, body: Buffer.alloc(mebibyte, 0x0a) },
    { headers: { 'content-type': 'application/grpc' }, body: Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]) },
  ];
}

/** Reads and writes that are hard on a server, whoever asks. */
function heavyRequests(): HostileRequest[] {
  const paths: readonly (readonly [HostileRequest['port'], string, string])[] = [
    ['api', 'POST', review],
    ['api', 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews'],
    ['api', 'PATCH', '/apis/metal3.io/v1alpha1/namespaces/simulated/baremetalhosts/r01-s01'],
    ['rest', 'POST', '/api/v1/servers'],
    ['rest', 'POST', '/api/v1/servers/8f1c2f5e-3c0a-4d6e-9a3b-1f0e6c7d8a90/condition'],
    ['rest', 'POST', `${rpc}/Update`],
    ['rest', 'POST', '/api/v1/serverEnroll'],
    ['console', 'POST', review],
    ['console', 'POST', '/plan'],
    ['agents', 'POST', '/agents'],
  ];
  const term = (i: number): string => `k${i} notin (${fields(78, (j) => `v${j}`, ',')})`;
  const selector = encodeURIComponent(fields(128, term, ','));
  const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
  const reads: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    [`${hosts}?labelSelector=${selector}`, {}],
    [`${hosts}?labelSelector=${encodeURIComponent(fields(80_000, (i) => `!k${i}`, ','))}`, {}],
    [hosts, { accept: 'application/yaml' }],
    [`${hosts}?pretty=true`, {}],
    ['/apis/metal3.io/v1alpha1/hardwaredata?includeObject=Object', table],
    [`${hosts}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, {}],
    ['/openapi/v2', {}],
    ['/openapi/v3/apis/metal3.io/v1alpha1', {}],
    ['/metrics', {}],
    ['/plan', {}],
  ];
  return [
    ...paths.flatMap(([port, method, path]) => heavyBodies().map((body) => ({ port, method, path, ...body }))),
    ...reads.flatMap(([path, headers]) =>
      (['api', 'console'] as const).map((port) => ({ port, method: 'GET', path, headers })),
    ),
  ].map((request) => ({ ...request, isHeavy: true }));
}

const head = (line: string, ...headers: string[]): string => `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;

/** Bytes that are no HTTP request, or not quite one. */
const brokenBytes: readonly string[] = [
  ...['hello there\r\n\r\n', 'GET /\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\0\x01\x02\x03', '\r\n\r\n\r\n'],
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\xff\xff\xff\xff\xff',
  head('GET /version HTTP/3.0'),
  head('GET /ver\x01sion HTTP/1.1'),
  head('GET /version HTTP/1.1', 'nonsense'),
  head('GET /version HTTP/1.1', 'X: a\0b'),
  head('GET /version HTTP/1.1', `X: ${'x'.repeat(2 * mebibyte)}`),
  head('GET /version HTTP/1.1', ...Array.from({ length: 50_000 }, (_, i) => `X-${i}: 1`)),
  head(`GET /version?${'x'.repeat(2 * mebibyte)} HTTP/1.1`),
  head(`POST ${review} HTTP/1.1`, 'Content-Length: 5', 'Transfer-Encoding: chunked') +
    '0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
  `${head(`POST ${review} HTTP/1.1`, 'Transfer-Encoding: chunked')}ffffffffffffffff\r\nx`,
  head(`POST ${review} HTTP/1.1`, 'Content-Length: -1'),
  head('GET /version HTTP/1.1', 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABk'),
  head('CONNECT 169.254.169.254:80 HTTP/1.1'),
  head('GET http://169.254.169.254/latest/meta-data HTTP/1.1'),
];

const nastyTexts = [
  ...["' OR 1=1 --", '__proto__', 'constructor', '%00', '%2e%2e%2f', '..', '%ff', '%zz', '%f0%9f%92%a5', '-1', '1e999'],
  ...['8f1c2f5e-3c0a-4d6e-9a3b-1f0e6c7d8a90', 'x'.repeat(3000), '*', '$ref', 'firmwareInstall', '169.254.169.254'],
];
const text = fc.oneof(fc.constantFrom(...nastyTexts), fc.string({ maxLength: 12 }));

const members = [
  ...['kind', 'parameters', 'firmwares', 'firmware_set_id', 'URL', 'url', 'checksum', 'component', 'vendor', 'model'],
  ...['bmc_address', 'bmc-ip', 'bmc-user', 'bmc-pwd', 'facility', 'name', 'id', 'data', 'attributes', 'namespace'],
  ...[
    'state',
    'lock',
    'status',
    'workerId',
    'target',
    'serverName',
    'jobId',
    'spec',
    'token',
    '__proto__',
    'interfaces',
  ],
];
const nastyUrl = fc.constantFrom(
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'https://[::ffff:a9fe:a9fe]/',
  'gopher://10.0.0.1/',
);
const someJson = fc
  .dictionary(fc.constantFrom(...members), fc.oneof(text, nastyUrl, fc.jsonValue({ maxDepth: 3 })), { maxKeys: 6 })
  .map((value) => JSON.stringify(value));
const someBody = fc.oneof({ weight: 5, arbitrary: someJson }, fc.string({ unit: 'binary' }), fc.constant(''));
const someType = fc.constantFrom(
  ...['application/json', 'application/json', 'application/json', 'application/json; charset=utf-16', 'text/plain'],
  ...[
    'application/proto',
    'application/grpc+proto',
    'application/grpc-web+json',
    'multipart/form-data; boundary=x',
    '',
  ],
);

function restRequest(operations: readonly Operation[]): fc.Arbitrary<HostileRequest> {
  const known = fc
    .tuple(fc.constantFrom(...operations), fc.array(text, { minLength: 3, maxLength: 3 }))
    .map(([{ method, path }, texts]) => {
      let at = 0;
      return { method, path: path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(texts[at++ % 3] ?? '')) };
    });
  const call = fc.constantFrom(...rpcMethods).map((method) => ({ method: 'POST', path: `${rpc}/${method}` }));
  return fc
    .record({ to: fc.oneof({ weight: 4, arbitrary: known }, call), body: someBody, type: someType, query: text })
    .map(({ to, body, type, query }) => ({
      ...{ port: 'rest' as const, method: to.method, headers: type === '' ? {} : { 'content-type': type } },
      path:
        to.method === 'GET'
          ? `${to.path}?limit=${encodeURIComponent(query)}&kind=${encodeURIComponent(query)}`
          : to.path,
      body: to.method === 'GET' ? undefined : body,
    }));
}

const apiRequest: fc.Arbitrary<HostileRequest> = fuzzRequest.map(({ method, path, body, contentType, accept }) => ({
  ...{ port: 'api' as const, method, path, body },
  headers: { accept, ...(body === undefined ? {} : { 'content-type': contentType }) },
}));

const segment = fc.constantFrom(
  ...[
    'console',
    'assets',
    '..',
    '%2e%2e',
    '.',
    '',
    '%00',
    'index.html',
    'etc',
    'passwd',
    'api',
    'v1',
    'secrets',
    'apis',
  ],
  ...['agents', 'machines', 'boot', 'commands', 'plan', 'network', 'audit', 'metrics', 'healthz', 'debug', 'pprof'],
);
const pathRequest: fc.Arbitrary<HostileRequest> = fc
  .record({
    port: fc.constantFrom('console' as const, 'agents' as const, 'rest' as const),
    method: fc.constantFrom('GET', 'GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'HEAD'),
    parts: fc.array(fc.oneof({ weight: 4, arbitrary: segment }, text.map(encodeText)), { maxLength: 6 }),
    body: someBody,
    type: someType,
  })
  .map(({ port, method, parts, body, type }) => {
    const isRead = method === 'GET' || method === 'HEAD' || method === 'TRACE';
    return {
      ...{ port, method, path: `/${parts.join('/')}` },
      headers: isRead || type === '' ? {} : { 'content-type': type },
      body: isRead ? undefined : body,
    };
  });

function encodeText(given: string): string {
  return encodeURIComponent(given.toWellFormed());
}

/** How many of a hundred requests are heavy ones. */
const heavyPercent = 3;
const rawPercent = 4;

/** Requests without end, the same for the same seed. */
export function* hostileRequests(seed: number, operations: readonly Operation[]): Generator<HostileRequest> {
  const heavy = heavyRequests();
  const names = ['api', 'rest', 'console', 'agents'] as const;
  const raw = fc
    .record({ port: fc.constantFrom(...names), bytes: fc.constantFrom(...brokenBytes) })
    .map(({ port, bytes }): HostileRequest => ({ port, method: 'raw', path: '', headers: {}, raw: bytes }));
  const any = fc.oneof(
    { weight: 45, arbitrary: apiRequest },
    { weight: 30, arbitrary: restRequest(operations) },
    { weight: 100 - 75 - heavyPercent - rawPercent, arbitrary: pathRequest },
    { weight: rawPercent, arbitrary: raw },
    { weight: heavyPercent, arbitrary: fc.constantFrom(...heavy) },
  );
  for (let round = 0; ; round++) yield* fc.sample(any, { seed: seed + round, numRuns: 200 });
}
