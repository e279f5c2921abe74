import { fc } from '#fast-check';

/** A request somebody made up. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly contentType: string;
  readonly accept: string;
}

const nastyTexts = [
  ...['', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'a\0b', 'a\r\nX: b', '..', '.', '/'],
  ...['a/b', 'ä', '😀', '\ud800', 'x'.repeat(300), '-1', '1e999', 'NaN', 'null', 'true', '*', '%', '%25', '$ref', '\\'],
  ...['default', 'fuzz', 'fuzz-2', 'All', 'red', '2024-01-01T00:00:00Z', 'example.com/v1', 'Widget', 'example.com/x'],
];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

const numbers = [
  '0',
  '-1',
  '1',
  '1.5',
  '1e3',
  '-0',
  '2147483648',
  '9007199254740993',
  '1e308',
  '1e400',
  '123456789012345678901',
];

const fieldNames = [
  ...['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data', 'stringData', 'type', 'name', 'namespace', 'labels'],
  ...['annotations', 'finalizers', 'ownerReferences', 'generateName', 'resourceVersion', 'uid', 'generation', 'op'],
  ...['creationTimestamp', 'deletionTimestamp', 'managedFields', 'selfLink', 'size', 'color', 'tags', 'words', 'free'],
  ...[
    'replicas',
    'fieldsV1',
    'manager',
    'operation',
    'path',
    'from',
    'value',
    '$patch',
    '$deleteFromPrimitiveList/tags',
  ],
  ...['controller', 'preconditions', 'gracePeriodSeconds', 'propagationPolicy', 'dryRun'],
];

/** JSON as text, so that keys such as `__proto__` and keys that stand twice get through. */
const json = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text.map((value) => JSON.stringify(value)),
    fc.constantFrom(...numbers, 'null', 'true', 'false', '{}', '[]'),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...fieldNames), text), tie('value')), { maxLength: 5 })
    .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
}));

/** Stands for the type that belongs to the path, once that is known. */
const fittingType = '"apiVersion":"?","kind":"?"';

const typeOfRoot: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  '/apis/example.com/v1/namespaces/default/widgets': ['example.com/v1', 'Widget'],
  '/api/v1/namespaces/default/configmaps': ['v1', 'ConfigMap'],
  '/api/v1/namespaces/default/secrets': ['v1', 'Secret'],
  '/api/v1/namespaces/default/pods': ['v1', 'Pod'],
  '/api/v1/namespaces': ['v1', 'Namespace'],
  '/apis/coordination.k8s.io/v1/namespaces/default/leases': ['coordination.k8s.io/v1', 'Lease'],
};

/** Part of the fields of something, each with a text, most of them fitting. */
function partOf(fields: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<string> {
  const one = fc.constantFrom(...Object.keys(fields)).chain((name) => {
    const fitting = fc.constantFrom(...(fields[name] ?? ['']));
    return fc.oneof({ weight: 4, arbitrary: fitting }, json.value).map((value) => `"${name}":${value}`);
  });
  return fc.array(one, { maxLength: 6 }).map((parts) => `{${parts.join(',')}}`);
}

const texts = fc
  .array(
    text.map((value) => JSON.stringify(value)),
    { maxLength: 3 },
  )
  .map((list) => `[${list.join(',')}]`);
const textMap = fc
  .array(
    fc.tuple(
      text,
      fc.oneof(
        text.map((value) => JSON.stringify(value)),
        fc.constant('null'),
      ),
    ),
    { maxLength: 3 },
  )
  .map((entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`);

const owner = partOf({
  apiVersion: ['"v1"', '"example.com/v1"', '""'],
  kind: ['"Pod"', '"Widget"', '"Event"'],
  name: ['"fuzz"', '""'],
  uid: ['"u"', '""'],
  controller: ['true', 'false'],
  blockOwnerDeletion: ['true'],
});
const managed = partOf({
  manager: ['"a"', '""'],
  operation: ['"Apply"', '"Update"', '"x"'],
  apiVersion: ['"v1"', '"example.com/v1"'],
  time: ['"2024-01-01T00:00:00Z"', '"x"'],
  fieldsType: ['"FieldsV1"', '"x"'],
  fieldsV1: ['{}', '{"f:spec":{}}', '{"f:spec":{"f:size":{}}}', '{"k:{\\"a\\":1}":{}}', '{"v:":{}}', '{"i:x":{}}'],
  subresource: ['"status"'],
});

/** Fields of metadata whose values have about the right shape. */
const metadataField = fc.oneof(
  fc.tuple(fc.constantFrom('labels', 'annotations'), textMap),
  fc.tuple(fc.constant('finalizers'), texts),
  fc.tuple(
    fc.constant('ownerReferences'),
    fc.array(owner, { maxLength: 2 }).map((list) => `[${list.join(',')}]`),
  ),
  fc.tuple(
    fc.constant('managedFields'),
    fc.array(managed, { maxLength: 2 }).map((list) => `[${list.join(',')}]`),
  ),
  fc.tuple(fc.constantFrom(...fieldNames), json.value),
);

const container = '{"name":"a","image":"b"}';

/** An object that is right in most places. */
const object = fc
  .tuple(
    fc.constantFrom('fuzz', 'fuzz-2', 'fuzz-3'),
    fc.array(metadataField, { maxLength: 2 }),
    fc.oneof(fc.constant(`{"size":1,"replicas":1,"containers":[${container}]}`), json.object),
    fc.array(fc.tuple(fc.constantFrom(...fieldNames), json.value), { maxLength: 1 }),
  )
  .map(([name, metadata, spec, more]) => {
    return `{${fittingType},"metadata":{"name":"${name}"${fieldsText(metadata)}},"spec":${spec},"data":{"a":"Yg=="}${fieldsText(more)}}`;
  });

function fieldsText(fields: readonly (readonly [string, string])[]): string {
  return fields.map(([key, value]) => `,${JSON.stringify(key)}:${value}`).join('');
}

const operations = fc
  .array(
    fc
      .tuple(
        fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'burn'),
        fc.array(fc.oneof(fc.constantFrom(...fieldNames, '0', '-', '-1'), text), { maxLength: 4 }),
        json.value,
      )
      .map(
        ([op, path, value]) =>
          `{"op":"${op}","path":${pointer(path)},"from":${pointer(path.toReversed())},"value":${value}}`,
      ),
    { maxLength: 4 },
  )
  .map((list) => `[${list.join(',')}]`);

function pointer(tokens: readonly string[]): string {
  return JSON.stringify(tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
}

/** Cuts a piece out of a text and puts another in. */
const damaged = fc
  .tuple(object, fc.nat(), fc.nat({ max: 5 }), fc.oneof(text, fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\')))
  .map(([whole, at, length, piece]) => {
    const start = at % whole.length;
    return `${whole.slice(0, start)}${piece}${whole.slice(start + length)}`;
  });

const wildBytes = fc.string({ unit: 'binary' });

const segment = fc.oneof(
  { weight: 2, arbitrary: text.map((value) => encodeURIComponent(value.toWellFormed())) },
  { weight: 1, arbitrary: fc.constantFrom('%00', '%2f', '%ff', '%', '%zz', '..', ';', 'watch', 'status', 'scale') },
);

const roots = [...Object.keys(typeOfRoot), '/apis/example.com/v1/widgets'];

const wildPath = fc.oneof(
  fc.array(segment, { maxLength: 7 }).map((parts) => `/${parts.join('/')}`),
  fc.array(segment, { maxLength: 5 }).map((parts) => `/apis/${parts.join('/')}`),
  fc.tuple(fc.constantFrom(...roots), segment).map(([root, rest]) => `${root}/${rest}`),
  fc.tuple(fc.constantFrom(...roots), segment).map(([root, rest]) => `${root}/fuzz/${rest}`),
);

const parameters = [
  ...['limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'labelSelector', 'fieldSelector', 'watch'],
  ...[
    'allowWatchBookmarks',
    'sendInitialEvents',
    'timeoutSeconds',
    'dryRun',
    'fieldManager',
    'fieldValidation',
    'force',
  ],
  ...['pretty', 'includeObject', 'propagationPolicy', 'gracePeriodSeconds'],
];

const values = fc.oneof(
  text.map((value) => encodeURIComponent(value.toWellFormed())),
  fc.constantFrom(
    '1',
    'true',
    'All',
    'Strict',
    'Exact',
    'NotOlderThan',
    'a%3Db',
    'a%20in%20(b,c)',
    '!a',
    'metadata.name%3Dfuzz',
  ),
  fc
    .string({ unit: fc.constantFrom('a', '=', '!', '(', ')', ',', ' ', '<', 'in', 'notin', '.'), maxLength: 8 })
    .map(encodeURIComponent),
);

const query = fc
  .array(fc.tuple(fc.constantFrom(...parameters), values), { maxLength: 2 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${key}=${value}`).join('&')}`));

const types = [
  ...['application/json', 'application/yaml', 'application/merge-patch+json', 'application/json-patch+json'],
  ...[
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    'x',
    '',
  ],
];

const accepts = [
  ...['application/json', '*/*', 'application/yaml', 'application/json;as=Table;g=meta.k8s.io;v=v1', 'x;q=x'],
  ...['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', '', ';;,,', 'image/png'],
];

/** What is asked, and what it needs: a method, what follows the collection's path, bodies and their types. */
interface Intent {
  readonly method: string;
  readonly rest: readonly string[];
  readonly body: fc.Arbitrary<string | undefined>;
  readonly contentType: readonly string[];
}

const objectBody = fc.oneof(
  { weight: 5, arbitrary: object },
  { weight: 2, arbitrary: damaged },
  json.object,
  wildBytes,
);
const mergeBody = fc.oneof(object, json.object, json.object, damaged);
const plainTypes = ['application/json', 'application/json', 'application/yaml'];
const named = ['/fuzz', '/fuzz', '/fuzz/status', '/fuzz/scale'];
const mergeTypes = ['application/merge-patch+json', 'application/strategic-merge-patch+json'];
const none = fc.constant(undefined);

const intents: readonly Intent[] = [
  { method: 'POST', rest: [''], body: objectBody, contentType: plainTypes },
  { method: 'PUT', rest: named, body: objectBody, contentType: plainTypes },
  { method: 'PATCH', rest: named, body: mergeBody, contentType: mergeTypes },
  { method: 'PATCH', rest: named, body: operations, contentType: ['application/json-patch+json'] },
  { method: 'PATCH', rest: named, body: objectBody, contentType: ['application/apply-patch+yaml'] },
  { method: 'DELETE', rest: ['', '/fuzz', '/fuzz-2'], body: fc.oneof(none, json.object), contentType: plainTypes },
  { method: 'GET', rest: ['', '', '/fuzz', '/fuzz/scale'], body: none, contentType: plainTypes },
  { method: 'HEAD', rest: ['', '/fuzz'], body: none, contentType: plainTypes },
];

const sensible = fc.constantFrom(...intents).chain(({ method, rest, body, contentType }) =>
  fc.record({
    method: fc.constant(method),
    path: fc.tuple(fc.constantFrom(...roots), fc.constantFrom(...rest)).map((parts) => parts.join('')),
    body,
    contentType: fc.constantFrom(...contentType),
  }),
);

const wild = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'),
  path: fc.oneof(wildPath, fc.constantFrom(...roots)),
  body: fc.oneof(objectBody, operations, none),
  contentType: fc.constantFrom(...types),
});

/**
 * Requests near enough to good ones to get deep into the server, and some that are not. Namespaces are only tried: the
 * server itself goes on with them.
 */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc
  .record({
    request: fc.oneof({ weight: 6, arbitrary: sensible }, { weight: 1, arbitrary: wild }),
    query: fc.oneof(fc.constant(''), query),
    accept: fc.oneof({ weight: 5, arbitrary: fc.constant('application/json') }, fc.constantFrom(...accepts)),
  })
  .map(({ request, query: asked, accept }) => {
    const { method, path, body } = request;
    const isOfNamespaces = path.startsWith('/api/v1/namespaces') && !path.includes('/default/');
    const isReading = method === 'GET' || method === 'HEAD';
    return {
      method,
      path: isOfNamespaces && !isReading ? `${path}?dryRun=All` : path + asked,
      // A body of a deletion would be taken instead of the query that makes it a try.
      body:
        isReading || body === undefined || (isOfNamespaces && method === 'DELETE') ? undefined : withType(path, body),
      contentType: request.contentType,
      accept,
    };
  });

function withType(path: string, sent: string): string {
  const root = Object.keys(typeOfRoot).find((known) => path.startsWith(known)) ?? '';
  const [apiVersion, kind] = typeOfRoot[root] ?? ['v1', 'Pod'];
  return sent.replaceAll(fittingType, `"apiVersion":"${apiVersion}","kind":"${kind}"`);
}

/** What every kind that is tried has under the name `fuzz`, so that there is something to change. */
export const standingObjects: readonly { readonly path: string; readonly body: string }[] = Object.keys(typeOfRoot).map(
  (path) => ({
    path,
    body: withType(
      path,
      `{${fittingType},"metadata":{"name":"fuzz","labels":{"a":"b"}},"spec":{"size":1,"replicas":1,"containers":[${container}]}}`,
    ),
  }),
);
