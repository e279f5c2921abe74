import { gzipSync } from 'node:zlib';
import { type Reply, statusIn } from './apiserver-client.ts';
import { corePath, widget, widgetPath } from './apiserver-fixture.ts';

/** A request that must be refused, and how. */
export interface BadRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code: number;
  /** The reason in the Status; empty when the Status has none, undefined when the answer is no Status. */
  readonly reason: string | undefined;
  /** What the real server does instead. */
  readonly realDiffers?: string;
}

type Verdict = readonly [code: number, reason: string | undefined];

const bad: Verdict = [400, 'BadRequest'];
const invalid: Verdict = [422, 'Invalid'];

/** The name of the widget that patches and updates are tried on. */
export const standing = 'standing';

function create(name: string, body: unknown, [code, reason]: Verdict, headers = {}): BadRequest {
  return { name, method: 'POST', path: widgetPath(), body, headers, code, reason };
}

function createIn(resource: string, name: string, body: unknown, [code, reason]: Verdict): BadRequest {
  return { name, method: 'POST', path: corePath(resource), body, code, reason };
}

function patch(name: string, type: string, body: unknown, [code, reason]: Verdict, query = ''): BadRequest {
  const headers = { 'content-type': type };
  return { name, method: 'PATCH', path: `${widgetPath(standing)}${query}`, body, headers, code, reason };
}

function get(name: string, path: string, [code, reason]: Verdict, headers = {}): BadRequest {
  return { name, method: 'GET', path, headers, code, reason };
}

const yaml = { 'content-type': 'application/yaml' };
const json = 'application/json-patch+json';
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';

const one = widget('one');
const text = JSON.stringify(one);

function withMetadata(metadata: string): string {
  return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":${metadata},"spec":{}}`;
}

function withSpec(spec: string): string {
  return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"one"},"spec":${spec}}`;
}

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

const malformed: BadRequest[] = [
  create('no body', '', bad),
  create('an open object', '{', bad),
  create('JSON cut in the middle', text.slice(0, -10), bad),
  create('JSON with a rest', `${text}}`, bad),
  create('a list', '[]', bad),
  create('null', 'null', bad),
  create('a number', '42', bad),
  create('a byte order mark', `\ufeff${text}`, bad),
  create('NUL bytes', '\0\0\0\0', bad),
  create('a NUL byte inside a string', text.replace('one', 'o\0ne'), bad),
  create('bytes that are not UTF-8', Buffer.concat([Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from(text)]), bad),
  create('UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), bad),
  create('NaN', withSpec('{"ratio":NaN}'), bad),
  create('Infinity', withSpec('{"ratio":-Infinity}'), bad),
  create('a number past every float', withSpec('{"ratio":1e999}'), bad),
  create('a leading zero', withSpec('{"size":01}'), bad),
  create('a comment', `/* */${text}`, bad),
  create('a trailing comma', withSpec('{"size":1,}'), bad),
  create('single quotes', text.replaceAll('"', "'"), bad),
  create('nesting past 10,000 levels', withSpec(`{"free":${nested(11_000)}}`), bad),
  create('100,000 open lists', '['.repeat(100_000), bad),
  create('malformed YAML', 'a: b: c', bad, yaml),
  create('a YAML list', '- a\n- b', bad, yaml),
  create('YAML that is open', 'kind: [', bad, yaml),
  create('a YAML tab', '\tkind: x', bad, yaml),
  create('a YAML anchor that is not there', 'kind: *x', bad, yaml),
  create('YAML with control characters', 'kind: "\u0001"', bad, yaml),
  create('deeply nested YAML', `a: ${'['.repeat(20_000)}`, bad, yaml),
];

const wrongTypes: BadRequest[] = [
  create('no kind', { ...one, kind: undefined }, bad),
  create('no apiVersion', { ...one, apiVersion: undefined }, bad),
  create('another kind', { ...one, kind: 'Gadget' }, invalid),
  create('another version', { ...one, apiVersion: 'example.com/v9' }, bad),
  create('a kind that is a number', { ...one, kind: 5 }, bad),
  create('no name', { ...one, metadata: {} }, invalid),
  create('metadata that is a list', { ...one, metadata: [] }, bad),
  create('a name that is a number', { ...one, metadata: { name: 5 } }, bad),
  create('labels that are text', { ...one, metadata: { name: 'one', labels: 'x' } }, bad),
  create('a label that is a number', { ...one, metadata: { name: 'one', labels: { a: 1 } } }, bad),
  create('an annotation that is a list', { ...one, metadata: { name: 'one', annotations: { a: [] } } }, bad),
  create('finalizers that are a map', { ...one, metadata: { name: 'one', finalizers: {} } }, bad),
  create('a finalizer that is a number', { ...one, metadata: { name: 'one', finalizers: [1] } }, bad),
  create('owners that are text', { ...one, metadata: { name: 'one', ownerReferences: 'x' } }, bad),
  create('an owner that is empty', { ...one, metadata: { name: 'one', ownerReferences: [{}] } }, invalid),
  create('an owner that is a number', { ...one, metadata: { name: 'one', ownerReferences: [1] } }, bad),
  create('a time that is none', { ...one, metadata: { name: 'one', creationTimestamp: 'soon' } }, bad),
  create('a resourceVersion that is a number', { ...one, metadata: { name: 'one', resourceVersion: 5 } }, bad),
  create('managedFields that are text', { ...one, metadata: { name: 'one', managedFields: 'x' } }, bad),
  create('text for an integer', widget('one', { size: 'big' }), invalid),
  create('a fraction for an integer', widget('one', { size: 1.5 }), invalid),
  create('a list for an object', { ...one, spec: [] }, invalid),
  create('text for an object', { ...one, spec: 'x' }, invalid),
  create('null in a list', widget('one', { tags: [null] }), invalid),
  create('a value outside its enum', widget('one', { color: 'mauve' }), invalid),
  create('a number below its minimum', widget('one', { size: -1 }), invalid),
  create('an item twice in a set', widget('one', { tags: ['a', 'a'] }), invalid),
  createIn('configmaps', 'a number in a ConfigMap', { metadata: { name: 'one' }, data: { a: 1 } }, bad),
  createIn('secrets', 'a Secret that is not base64', { metadata: { name: 'one' }, data: { a: '?' } }, bad),
  createIn('secrets', 'a Secret whose data is a list', { metadata: { name: 'one' }, data: [] }, bad),
];

const names: BadRequest[] = [
  'ONE',
  'a/b',
  '..',
  'a\r\nX-Injected: 1',
  'a b',
  `${'x'.repeat(254)}`,
  'ä',
  '-',
  '$(id)',
].map((name) => create(`the name ${JSON.stringify(name.slice(0, 20))}`, widget(name), invalid));

const thousands = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`a/b/${i}`, 'x']));

const metadata: BadRequest[] = [
  create('a label key with spaces', widget('one', {}, { labels: { 'a b': 'c' } }), invalid),
  create('a label value with a newline', widget('one', {}, { labels: { a: 'b\r\nc' } }), invalid),
  create('a label value of 64 characters', widget('one', {}, { labels: { a: 'x'.repeat(64) } }), invalid),
  create('thousands of wrong labels', widget('one', {}, { labels: thousands }), invalid),
  create('the label __proto__', withMetadata('{"name":"one","labels":{"__proto__":"x"}}'), invalid),
  create('labels whose prototype is set', withMetadata('{"name":"one","labels":{"__proto__":{"a":"b"}}}'), bad),
  create('the annotation __proto__', withMetadata('{"name":"one","annotations":{"__proto__":"x"}}'), invalid),
  create('annotations past 256 KiB', widget('one', {}, { annotations: { a: 'x'.repeat(262_145) } }), invalid),
  create('annotations past 256 KiB in bytes', widget('one', {}, { annotations: { a: 'ä'.repeat(131_073) } }), invalid),
  create('a finalizer with a space', widget('one', {}, { finalizers: ['a b'] }), invalid),
  create('a resourceVersion', widget('one', {}, { resourceVersion: '5' }), [500, '']),
  create('another namespace', widget('one', {}, { namespace: 'kube-system' }), bad),
  create('generateName with a space', { ...one, metadata: { generateName: 'a b' } }, invalid),
];

const strict: BadRequest[] = [
  ['an unknown field', widget('one', { nothing: 1 })],
  ['an unknown field in metadata', widget('one', {}, { nothing: 1 })],
  ['the field constructor', withSpec('{"constructor":1}')],
  ['the field __proto__', withSpec('{"__proto__":{"size":1}}')],
  ['a duplicate key', withSpec('{"size":1,"size":2}')],
  ['a duplicate key, escaped', withSpec('{"size":1,"\\u0073ize":2}')],
].map(([name, body]) => ({
  name: `${String(name)} under Strict`,
  method: 'POST',
  path: `${widgetPath()}?fieldValidation=Strict`,
  body,
  code: 400,
  reason: 'BadRequest',
}));

const options: BadRequest[] = [
  ...['dryRun=Some', 'fieldValidation=Maybe', `fieldManager=${'x'.repeat(129)}`, 'fieldManager=a%0d%0ab'].map(
    (query) => ({
      name: `create with ${query.slice(0, 30)}`,
      method: 'POST',
      path: `${widgetPath()}?${query}`,
      body: one,
      code: 422,
      reason: 'Invalid',
    }),
  ),
  {
    name: 'delete by a policy that is none',
    method: 'DELETE',
    path: `${widgetPath(standing)}?propagationPolicy=X`,
    code: 422,
    reason: 'Invalid',
  },
  {
    name: 'delete with grace that is no number',
    method: 'DELETE',
    path: `${widgetPath(standing)}?gracePeriodSeconds=x`,
    code: 400,
    reason: 'BadRequest',
  },
  {
    name: 'delete with a wrong uid',
    method: 'DELETE',
    path: widgetPath(standing),
    body: { preconditions: { uid: 'x' } },
    code: 409,
    reason: 'Conflict',
  },
  {
    name: 'delete with a body that is a list',
    method: 'DELETE',
    path: widgetPath(standing),
    body: '[]',
    code: 500,
    reason: '',
  },
  {
    name: 'delete with a body that is cut',
    method: 'DELETE',
    path: widgetPath(standing),
    body: '{',
    code: 500,
    reason: '',
  },
  {
    name: 'delete with wrong types',
    method: 'DELETE',
    path: widgetPath(standing),
    body: { gracePeriodSeconds: 'x' },
    code: 500,
    reason: '',
  },
  {
    name: 'delete with preconditions that are text',
    method: 'DELETE',
    path: widgetPath(standing),
    body: { preconditions: 'x' },
    code: 500,
    reason: '',
  },
  {
    name: 'delete of all by a bad selector',
    method: 'DELETE',
    path: `${widgetPath()}?labelSelector=a%3D%3D%3Db`,
    code: 400,
    reason: 'BadRequest',
  },
];

const patches: BadRequest[] = [
  patch('a patch of no media type', '', '{}', [415, 'UnsupportedMediaType']),
  patch('a patch of plain JSON', 'application/json', '{}', [415, 'UnsupportedMediaType']),
  patch('a strategic patch of a custom resource', strategic, '{}', [415, 'UnsupportedMediaType']),
  patch('a merge patch that is cut', merge, '{"spec":', bad),
  patch('a merge patch that is a list', merge, '[]', bad),
  patch('a merge patch that is text', merge, '"x"', bad),
  patch('a merge patch of a wrong type', merge, { spec: { size: 'x' } }, invalid),
  patch('a merge patch of the name', merge, { metadata: { name: 'other' } }, bad),
  patch('a merge patch of the uid', merge, { metadata: { uid: 'other' } }, invalid),
  patch('a merge patch of an old version', merge, { metadata: { resourceVersion: '1' } }, [409, 'Conflict']),
  patch('a merge patch of a version that is none', merge, { metadata: { resourceVersion: 'x' } }, [500, '']),
  patch('a merge patch of the kind', merge, { kind: 'Other' }, invalid),
  patch('a merge patch that takes the metadata away', merge, { metadata: null }, bad),
  patch('a merge patch of labels to a list', merge, { metadata: { labels: [] } }, invalid),
  patch('a merge patch of __proto__ as label', merge, '{"metadata":{"labels":{"__proto__":"x"}}}', invalid),
  patch('a merge patch with force', merge, '{}', invalid, '?force=true'),
  patch('a deep merge patch', merge, nested(11_000), bad),
  patch('a JSON patch that is an object', json, '{}', bad),
  patch('a JSON patch of numbers', json, '[1]', bad),
  patch('a JSON patch without op', json, [{ path: '/spec' }], invalid),
  patch('a JSON patch of an unknown op', json, [{ op: 'burn', path: '/spec' }], invalid),
  patch('a JSON patch without path', json, [{ op: 'add', value: 1 }], invalid),
  patch('a JSON patch whose path is a number', json, [{ op: 'add', path: 1, value: 1 }], bad),
  patch('a JSON patch of a missing path', json, [{ op: 'remove', path: '/spec/none' }], invalid),
  patch('a JSON patch through __proto__', json, [{ op: 'add', path: '/__proto__/polluted', value: 1 }], invalid),
  patch('a JSON patch through constructor', json, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }], invalid),
  patch('a JSON patch whose test fails', json, [{ op: 'test', path: '/spec/size', value: 99 }], invalid),
  patch('a JSON patch of the root', json, [{ op: 'replace', path: '', value: [] }], invalid),
  patch(
    'a JSON patch past 10,000 operations',
    json,
    Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a' })),
    [413, 'RequestEntityTooLarge'],
  ),
  patch('an apply without manager', apply, one, invalid),
  patch('an apply that is no YAML', apply, '{', bad, '?fieldManager=a'),
  patch('an apply that is a list', apply, '[]', bad, '?fieldManager=a'),
  patch('an apply of another kind', apply, { ...one, kind: 'Other' }, bad, '?fieldManager=a'),
  patch('an apply of another name', apply, one, bad, '?fieldManager=a'),
  patch('an apply of an unknown field', apply, widget(standing, { nothing: 1 }), [500, ''], '?fieldManager=a'),
  patch('an apply of a wrong type', apply, widget(standing, { size: 'x' }), [500, ''], '?fieldManager=a'),
];

const selectors: BadRequest[] = [
  ...[
    'a===b',
    '=',
    'a in',
    'a in (',
    'a in ()b',
    'a==b==c',
    'a b',
    '!',
    ',',
    'a,,b',
    'a in (b',
    ')(',
    'a>x',
    'ä',
    'a constructor b',
    'a=b;c',
    '__proto__',
  ].map((selector) =>
    get(`the label selector ${selector}`, `${widgetPath()}?labelSelector=${encodeURIComponent(selector)}`, bad),
  ),
  ...['nothing=x', 'metadata.name', 'spec.size=1', 'constructor=x', '__proto__=x', 'toString!=x'].map((selector) =>
    get(`the field selector ${selector}`, `${widgetPath()}?fieldSelector=${encodeURIComponent(selector)}`, bad),
  ),
  ...['limit=x', 'limit=0x10', 'limit=1e3', 'continue=x', 'resourceVersion=x', 'timeoutSeconds=x'].map((query) =>
    get(`a list with ${query}`, `${widgetPath()}?${query}`, bad),
  ),
  ...['resourceVersionMatch=Exact', 'resourceVersion=1&resourceVersionMatch=X', 'sendInitialEvents=true'].map((query) =>
    get(`a list with ${query}`, `${widgetPath()}?${query}`, invalid),
  ),
  get('a watch of a bad selector', `${widgetPath()}?watch=1&labelSelector=a===b`, bad),
  get('a watch with a bad timeout', `${widgetPath()}?watch=1&timeoutSeconds=x`, bad),
  get('a watch with initial events and no match', `${widgetPath()}?watch=1&sendInitialEvents=true`, invalid),
];

const media: BadRequest[] = [
  create('text', text, [415, 'UnsupportedMediaType'], { 'content-type': 'text/plain' }),
  create('a form', 'a=b', [415, 'UnsupportedMediaType'], { 'content-type': 'application/x-www-form-urlencoded' }),
  create('a media type that is none', text, [415, 'UnsupportedMediaType'], { 'content-type': '/;;;=' }),
  {
    ...create('protobuf of a custom resource', text, [415, 'UnsupportedMediaType'], {
      'content-type': 'application/vnd.kubernetes.protobuf',
    }),
    realDiffers: 'it hangs up',
  },
  ...['', 'k8s\0', 'k8s\0\n\x7f', 'k8s\0\x12\x02\x0e\x0e'].map((body) => ({
    name: `deletion with ${JSON.stringify(`${body}x`)} for protobuf`,
    method: 'DELETE',
    path: corePath('configmaps', 'none'),
    body: `${body}x`,
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    code: 400,
    reason: 'BadRequest',
    realDiffers: 'it answers 500',
  })),
  get('an answer as an image', widgetPath(), [406, 'NotAcceptable'], { accept: 'image/png' }),
  get('an answer as a table of nowhere', widgetPath(), [406, 'NotAcceptable'], {
    accept: 'application/json;as=Table;g=x;v=v1',
  }),
  create('gzip that is cut', gzipSync(text).subarray(0, 20), bad, { 'content-encoding': 'gzip' }),
  create('a gzip bomb', gzipSync(Buffer.alloc(64 << 20, 0x20)), bad, { 'content-encoding': 'gzip' }),
];

const large = 'x'.repeat(3 * 1024 * 1024 + 1);
const tooLarge: Verdict = [413, 'RequestEntityTooLarge'];

const oversize: BadRequest[] = [
  create('a body past 3 MiB', widget('one', { body: large }), tooLarge),
  create('a body past 3 MiB in chunks', widget('one', { body: large }), tooLarge, { 'transfer-encoding': 'chunked' }),
  {
    name: 'an update past 3 MiB',
    method: 'PUT',
    path: widgetPath(standing),
    body: widget(standing, { body: large }),
    code: 413,
    reason: 'RequestEntityTooLarge',
  },
  patch('a patch past 3 MiB', merge, { spec: { body: large } }, tooLarge),
  {
    name: 'delete options past 3 MiB',
    method: 'DELETE',
    path: widgetPath(standing),
    body: { x: large },
    code: 413,
    reason: 'RequestEntityTooLarge',
  },
];

const paths: BadRequest[] = [
  get('a missing object', widgetPath('missing'), [404, 'NotFound']),
  get('a name with an escaped slash', widgetPath('a%2fb'), [404, 'NotFound']),
  get('a name with an escaped NUL', widgetPath('a%00b'), [404, 'NotFound']),
  get('a name with escaped line ends', widgetPath('a%0d%0ab'), [404, 'NotFound']),
  get('__proto__ as a name', widgetPath('__proto__'), [404, 'NotFound']),
  get('constructor as a name', widgetPath('constructor'), [404, 'NotFound']),
  get('an unknown resource of a built-in group', '/api/v1/namespaces/default/nothings', [404, 'NotFound']),
  get('an unknown resource of a custom group', '/apis/example.com/v1/namespaces/default/nothings', [404, undefined]),
  get('constructor as a resource', '/api/v1/constructor', [404, 'NotFound']),
  get('__proto__ as a group', '/apis/__proto__/v1/x', [404, undefined]),
  get('an unknown path', '/nothing', [404, undefined]),
  get('a subresource that is none', `${widgetPath(standing)}/nothing`, [404, 'NotFound']),
  {
    name: 'a create in a namespace that is none',
    method: 'POST',
    path: '/apis/example.com/v1/namespaces/nowhere/widgets',
    body: one,
    code: 404,
    reason: 'NotFound',
  },
  {
    name: 'a create of one object',
    method: 'POST',
    path: corePath('configmaps', 'one'),
    body: one,
    code: 405,
    reason: 'MethodNotAllowed',
  },
  {
    name: 'an update of a collection',
    method: 'PUT',
    path: corePath('configmaps'),
    body: one,
    code: 405,
    reason: 'MethodNotAllowed',
  },
  {
    name: 'an update under another name',
    method: 'PUT',
    path: widgetPath(standing),
    body: one,
    code: 400,
    reason: 'BadRequest',
  },
  {
    name: 'an update without a version',
    method: 'PUT',
    path: widgetPath(standing),
    body: widget(standing),
    code: 422,
    reason: 'Invalid',
  },
  {
    name: 'an update of what is missing',
    method: 'PUT',
    path: widgetPath('missing'),
    body: widget('missing', {}, { resourceVersion: '1' }),
    code: 404,
    reason: 'NotFound',
  },
  { name: 'a delete of what is missing', method: 'DELETE', path: widgetPath('missing'), code: 404, reason: 'NotFound' },
  {
    name: 'a delete of a status',
    method: 'DELETE',
    path: `${widgetPath(standing)}/status`,
    code: 405,
    reason: 'MethodNotAllowed',
  },
  {
    name: 'a scale that is none',
    method: 'PUT',
    path: `${widgetPath(standing)}/scale`,
    body: '[]',
    code: 400,
    reason: 'BadRequest',
  },
  {
    name: 'a negative scale',
    method: 'PATCH',
    path: `${widgetPath(standing)}/scale`,
    headers: { 'content-type': merge },
    body: { spec: { replicas: -1 } },
    code: 422,
    reason: 'Invalid',
  },
];

function token(content: unknown): string {
  return `${widgetPath()}?limit=1&continue=${Buffer.from(JSON.stringify(content)).toString('base64url')}`;
}

const v = 'meta.k8s.io/v1';
const tooNew: Verdict = [504, 'Timeout'];

const versions: BadRequest[] = [
  get('a continue token of the future', token({ v, rv: 1e15, start: 'x\0' }), tooNew),
  get('a continue token with a broken version', token({ v, rv: 1.5, start: 'x\0' }), bad),
  get('a continue token without version', token({ v, rv: 0, start: 'x\0' }), bad),
  get('a continue token of another kind', token({ v: 'x', rv: 1, start: 'x\0' }), bad),
  get('a continue token without a start', token({ v, rv: 1, start: '' }), bad),
  get('a continue token that climbs', token({ v, rv: 1, start: '../x' }), bad),
  get('a continue token that is null', token(null), bad),
  get('a list at a version of the future', `${widgetPath()}?resourceVersion=99999999999`, tooNew),
  get('a list at a version past 64 bits', `${widgetPath()}?resourceVersion=99999999999999999999999`, bad),
  get('a watch at a version past 64 bits', `${widgetPath()}?watch=1&resourceVersion=99999999999999999999999`, [
    500,
    '',
  ]),
  get('a list with a limit past 64 bits', `${widgetPath()}?limit=99999999999999999999`, bad),
  get('a path with a broken escape', '/api/v1/%zz', [400, undefined]),
  create('an integer past 64 bits', withSpec('{"size":18446744073709551616}'), invalid),
  create(
    'YAML infinity',
    'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {ratio: .inf}',
    bad,
    yaml,
  ),
  patch('a merge patch of a number past every float', merge, '{"spec":{"ratio":1e999}}', bad),
  patch('a JSON patch of a number past every float', json, '[{"op":"add","path":"/spec/ratio","value":1e999}]', bad),
];

/** Requests that get through HTTP and must be refused. None of them may leave anything behind. */
export const badRequests: readonly BadRequest[] = [
  ...malformed,
  ...wrongTypes,
  ...names,
  ...metadata,
  ...strict,
  ...options,
  ...patches,
  ...selectors,
  ...media,
  ...oversize,
  ...paths,
  ...versions,
];

/** The code of an answer, and the reason of its Status. */
export function verdictOf(reply: Reply): [code: number, reason: string | undefined] {
  const isStatus = reply.headers['content-type'] === 'application/json' && statusIn(reply).kind === 'Status';
  return [reply.code, isStatus ? (statusIn(reply).reason ?? '') : undefined];
}
