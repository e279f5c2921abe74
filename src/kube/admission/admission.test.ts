import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { describe, type TestContext, test } from 'node:test';
import { fc } from '#fast-check';
import { createCertificateAuthority, issueServerCertificate } from '../certificates.ts';
import type { AnyKubeObject } from '../object.ts';
import { type AdmissionRequest, type AdmissionRule, defineAdmissionRule, isConcerned } from './admission-rule.ts';
import { startAdmissionServer } from './admission-server.ts';
import type { Conversion } from './conversion.ts';
import { inProcessAdmission } from './in-process.ts';
import { allowed, denied, diffJson, patched } from './verdict.ts';
import { buildConversionStanza, buildWebhookConfigurations } from './webhook-configuration.ts';

const limit = defineAdmissionRule<number>({
  name: 'limit.widgets.example.com',
  type: 'validating',
  matches: [{ groups: ['example.com'], versions: ['*'], resources: ['widgets'], operations: ['CREATE', 'UPDATE'] }],
  read: () => 3,
  admit: (request, most) => {
    const size = Number((request.object?.spec as { size?: number })?.size ?? 0);
    if (size > most) return denied({ field: 'spec.size', message: `at most ${most} are allowed here` }, 'ask for less');
    return size === most ? allowed('that is the limit') : allowed();
  },
});

const filler = defineAdmissionRule({
  name: 'defaults.widgets.example.com',
  type: 'mutating',
  matches: [{ groups: ['example.com'], versions: ['v1'], resources: ['widgets'], operations: ['CREATE'] }],
  read: () => undefined,
  admit: ({ object }) => {
    const before = object ?? {};
    return patched(before, { ...before, spec: { size: 1, ...(before.spec as object) } });
  },
});

const broken: AdmissionRule = {
  ...limit,
  name: 'broken.example.com',
  read: () => Promise.reject(new Error('the cache is empty')),
};

const conversion: Conversion = {
  group: 'example.com',
  kind: 'Widget',
  convert: (object, version) => {
    if (version === 'v9') throw new Error('Widget cannot be said in v9');
    return {
      ...object,
      spec: { ...(object.spec as object), convertedTo: version },
      metadata: { name: 'forged', labels: { a: 'b' } },
    };
  },
};

function ask(object: AnyKubeObject, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: 'u-1',
    kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    resource: { group: 'example.com', version: 'v1', resource: 'widgets' },
    operation: 'CREATE',
    namespace: 'default',
    userInfo: { username: 'alice' },
    object,
    ...more,
  };
}

async function setUp(t: TestContext, rules: readonly AdmissionRule[] = [limit, filler, broken]) {
  const now = new Date();
  const authority = await createCertificateAuthority({ commonName: 'ca', now });
  const certificate = await issueServerCertificate(authority, { ips: ['127.0.0.1'], now });
  const server = await startAdmissionServer({
    rules,
    conversions: [conversion],
    certificate,
    host: '127.0.0.1',
    port: 0,
  });
  t.after(() => server.close());
  const send = async (path: string, body: string, options: { method?: string; ca?: string } = {}) => {
    const ca = options.ca ?? authority.certificatePem;
    const request = httpsRequest({
      host: '127.0.0.1',
      port: server.port,
      path,
      method: options.method ?? 'POST',
      ca,
      agent: false,
    });
    request.end(body);
    const [response] = await once(request, 'response');
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { code: response.statusCode as number, text };
  };
  const review = async (rule: string, request: AdmissionRequest) => {
    const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
    const { code, text } = await send(`/admit/${rule}`, body);
    return code === 200 ? JSON.parse(text).response : code;
  };
  return { server, send, review };
}

describe('an admission server', () => {
  test('answers allowed, denied with every reason, and patched', async (t) => {
    const { review } = await setUp(t);
    assert.deepEqual(await review('limit.widgets.example.com', ask({ spec: { size: 1 } })), {
      uid: 'u-1',
      allowed: true,
    });
    assert.deepEqual(await review('limit.widgets.example.com', ask({ spec: { size: 3 } })), {
      uid: 'u-1',
      allowed: true,
      warnings: ['that is the limit'],
    });
    assert.deepEqual(await review('limit.widgets.example.com', ask({ spec: { size: 4 } })), {
      uid: 'u-1',
      allowed: false,
      status: {
        code: 403,
        reason: 'Forbidden',
        message: 'spec.size: at most 3 are allowed here; ask for less',
        details: {
          causes: [{ field: 'spec.size', message: 'at most 3 are allowed here' }, { message: 'ask for less' }],
        },
      },
    });
    const filled = await review('defaults.widgets.example.com', ask({ spec: { colour: 'red' } }));
    assert.equal(filled.patchType, 'JSONPatch');
    assert.deepEqual(JSON.parse(Buffer.from(filled.patch, 'base64').toString()), [
      { op: 'add', path: '/spec/size', value: 1 },
    ]);
    assert.deepEqual(await review('defaults.widgets.example.com', ask({ spec: { size: 2 } })), {
      uid: 'u-1',
      allowed: true,
    });
  });

  test('answers 500 without the cause when a rule cannot be asked, so that the failure policy counts', async (t) => {
    const { send, review } = await setUp(t);
    assert.equal(await review('broken.example.com', ask({})), 500);
    const review2 = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: ask({}) });
    assert.doesNotMatch((await send('/admit/broken.example.com', review2)).text, /cache/);
  });

  test('refuses what is no review, and stays up', async (t) => {
    const { send, review } = await setUp(t);
    const path = '/admit/limit.widgets.example.com';
    assert.equal((await send(path, '{"kind":')).code, 400);
    assert.equal((await send(path, 'null')).code, 400);
    assert.equal((await send(path, '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}')).code, 400);
    assert.equal(
      (await send(path, '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}}')).code,
      400,
    );
    assert.equal((await send('/convert', '{}')).code, 400);
    assert.equal((await send('/elsewhere', '{}')).code, 404);
    assert.equal((await send(path, '', { method: 'GET' })).code, 405);
    assert.equal((await send(path, ' '.repeat(9 * 1024 * 1024))).code, 413);
    assert.equal((await send('/readyz', '', { method: 'GET' })).text, 'ok');
    assert.equal((await review('limit.widgets.example.com', ask({}))).allowed, true);
  });

  test('serves another certificate to new connections without closing', async (t) => {
    const { server, send } = await setUp(t);
    const now = new Date();
    const other = await createCertificateAuthority({ commonName: 'other', now });
    await assert.rejects(send('/readyz', '', { method: 'GET', ca: other.certificatePem }));
    server.setCertificate(await issueServerCertificate(other, { ips: ['127.0.0.1'], now }));
    assert.equal((await send('/readyz', '', { method: 'GET', ca: other.certificatePem })).text, 'ok');
  });

  test('refuses two rules of one name', async () => {
    const authority = await createCertificateAuthority({ commonName: 'ca', now: new Date() });
    const options = { rules: [limit, limit], certificate: authority, host: '127.0.0.1', port: 0 };
    await assert.rejects(startAdmissionServer(options), /two admission rules are named/);
  });
});

describe('conversion', () => {
  const convert = (objects: AnyKubeObject[], desiredAPIVersion: string) =>
    inProcessAdmission([], [conversion]).convert({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'c-1', desiredAPIVersion, objects },
    }).response;
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', uid: 'x' }, spec: { a: 1 } };

  test('gives every object in the version wanted, with its own metadata', () => {
    const response = convert([widget, { ...widget, apiVersion: 'example.com/v2' }], 'example.com/v2');
    assert.equal(response?.result.status, 'Success');
    assert.deepEqual(response?.convertedObjects, [
      {
        ...widget,
        apiVersion: 'example.com/v2',
        metadata: { name: 'w', uid: 'x', labels: { a: 'b' } },
        spec: { a: 1, convertedTo: 'v2' },
      },
      { ...widget, apiVersion: 'example.com/v2' },
    ]);
  });

  test('fails as a whole with the reason', () => {
    assert.deepEqual(convert([widget], 'example.com/v9'), {
      uid: 'c-1',
      convertedObjects: [],
      result: { status: 'Failed', message: 'Widget cannot be said in v9' },
    });
    assert.match(
      convert([{ ...widget, kind: 'Gadget' }], 'example.com/v2')?.result.message ?? '',
      /no conversion of Gadget/,
    );
  });

  test('is served over HTTPS', async (t) => {
    const { send } = await setUp(t);
    const request = { uid: 'c', desiredAPIVersion: 'example.com/v2', objects: [widget] };
    const { text } = await send(
      '/convert',
      JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request }),
    );
    assert.equal(JSON.parse(text).response.convertedObjects[0].spec.convertedTo, 'v2');
  });
});

describe('admission in process', () => {
  test('asks mutating rules before validating ones, by name', () => {
    const names = inProcessAdmission([limit, broken, filler]).hooks.map((hook) => hook.name);
    assert.deepEqual(names, ['defaults.widgets.example.com', 'broken.example.com', 'limit.widgets.example.com']);
  });

  test('gives the same answer as over HTTPS', async (t) => {
    const { review } = await setUp(t);
    const hooks = inProcessAdmission([limit, filler]).hooks;
    for (const size of [0, 3, 4]) {
      for (const hook of hooks) {
        const request = ask({ spec: { size } });
        const inProcess = JSON.parse(JSON.stringify(await hook.ask(request)));
        assert.deepEqual(inProcess, await review(hook.name, request));
      }
    }
  });

  test('follows the failure policy when a rule cannot be asked', async () => {
    const hooks = inProcessAdmission([broken, { ...broken, name: 'lax', failurePolicy: 'Ignore' }]).hooks;
    const answers = await Promise.all(hooks.map((hook) => hook.ask(ask({}))));
    assert.deepEqual(
      answers.map((answer) => answer.allowed),
      [false, true],
    );
    assert.match(answers[0]?.status?.message ?? '', /failed calling webhook "broken.example.com": the cache is empty/);
  });

  test('a validating rule that wants to change the object is a bug, not a change', async () => {
    const [hook] = inProcessAdmission([{ ...filler, type: 'validating' }]).hooks;
    assert.equal((await hook?.ask(ask({})))?.allowed, false);
  });
});

describe('matching', () => {
  const rule = (match: Partial<AdmissionRule['matches'][number]>): AdmissionRule => ({
    ...limit,
    matches: [{ groups: ['example.com'], versions: ['v1'], resources: ['widgets'], operations: ['CREATE'], ...match }],
  });
  const cases: [string, Partial<AdmissionRule['matches'][number]>, Partial<AdmissionRequest>, boolean][] = [
    ['itself', {}, {}, true],
    ['another operation', {}, { operation: 'DELETE' }, false],
    ['any operation', { operations: ['*'] }, { operation: 'DELETE' }, true],
    ['a subresource not asked for', {}, { subResource: 'status' }, false],
    ['a subresource', { resources: ['widgets/status'] }, { subResource: 'status' }, true],
    ['any subresource and the resource', { resources: ['widgets/*'] }, {}, true],
    ['every resource but no subresource', { resources: ['*'] }, { subResource: 'status' }, false],
    ['everything', { resources: ['*/*'], groups: ['*'], versions: ['*'] }, { subResource: 'scale' }, true],
    ['cluster scope', { scope: 'Cluster' }, {}, false],
    ['namespaced scope', { scope: 'Namespaced' }, {}, true],
  ];
  for (const [name, match, request, expected] of cases) {
    test(`${expected ? 'takes' : 'leaves'} ${name}`, () => {
      assert.equal(isConcerned(rule(match), ask({}, request)), expected);
    });
  }
});

describe('webhook configurations', () => {
  test('say how to reach each rule, and whom to trust', () => {
    const publication = {
      name: 'rackwright',
      rules: [limit, filler],
      target: { service: { namespace: 'sys', name: 'admission' } },
      labels: { app: 'rackwright' },
    };
    const [validating, mutating] = buildWebhookConfigurations(publication, 'PEM');
    assert.equal(validating?.kind, 'ValidatingWebhookConfiguration');
    const [hook] = (mutating?.webhooks ?? []) as { clientConfig: unknown; name: string }[];
    assert.deepEqual(hook?.clientConfig, {
      service: { namespace: 'sys', name: 'admission', path: '/admit/defaults.widgets.example.com' },
      caBundle: Buffer.from('PEM').toString('base64'),
    });
    assert.equal(buildWebhookConfigurations({ ...publication, rules: [limit] }, 'PEM').length, 1);
    const stanza = buildConversionStanza('widgets.example.com', { url: 'https://h:1/' }, 'PEM');
    assert.match(JSON.stringify(stanza), /"url":"https:\/\/h:1\/convert"/);
  });
});

test('a field named like something every object has is a field like any other', () => {
  assert.deepEqual(diffJson({ toString: '' }, {}), [{ op: 'remove', path: '/toString' }]);
  assert.deepEqual(diffJson({}, { toString: '' }), [{ op: 'add', path: '/toString', value: '' }]);
});

test('a patch made from two objects turns the first into the second', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'e~f', ''), json, { maxKeys: 5 });
  fc.assert(
    fc.property(object, object, (before, after) => {
      const [from, to] = [JSON.parse(JSON.stringify(before)), JSON.parse(JSON.stringify(after))];
      assert.deepEqual(applyPatch(structuredClone(from), diffJson(from, to)), to);
    }),
  );
});

/** The least of RFC 6902 that the patches here need. */
function applyPatch(document: unknown, patch: ReturnType<typeof diffJson>): unknown {
  for (const { op, path, value } of patch) {
    if (path === '') {
      document = value;
      continue;
    }
    const names = path
      .slice(1)
      .split('/')
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop() ?? '';
    const parent = names.reduce((at, name) => at[name] as Record<string, unknown>, document as Record<string, unknown>);
    if (op === 'remove') delete parent[last];
    else Object.defineProperty(parent, last, { value, configurable: true, enumerable: true, writable: true });
  }
  return document;
}
