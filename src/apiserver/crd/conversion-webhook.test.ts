import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import { ApiError } from '../status.ts';
import { WebhookCallError, WebhookClient } from '../webhook/webhook-client.ts';
import { PendingConversion } from './conversion.ts';
import { converterFactory, inProcessConverter } from './conversion-in-process.ts';
import { WebhookConverter } from './conversion-webhook.ts';
import type { Crd } from './crd-object.ts';

const crd = {
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', plural: 'widgets' },
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://hook.example.com/' }, conversionReviewVersions: ['v1'] },
    },
  },
} as unknown as Crd;

function widget(name: string): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'a', uid: `u-${name}`, resourceVersion: '7', labels: { a: 'b' } },
    spec: { size: 1 },
  };
}

type Convert = (objects: JsonObject[], wanted: string) => JsonObject | Error;

/** A client whose webhook answers in this process. */
class FakeClient extends WebhookClient {
  readonly reviews: JsonObject[][] = [];
  readonly #convert: Convert;

  constructor(convert: Convert) {
    super();
    this.#convert = convert;
  }

  override async post(_config: object, review: JsonObject): Promise<JsonObject> {
    const { uid = '', desiredAPIVersion = '', objects } = structuredClone(review.request) as JsonObject;
    this.reviews.push(objects as JsonObject[]);
    const response = this.#convert(objects as JsonObject[], String(desiredAPIVersion));
    if (response instanceof Error) throw response;
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: { uid, ...response } };
  }
}

const success = { result: { status: 'Success' } };
const renames: Convert = (objects, wanted) => ({
  ...success,
  convertedObjects: objects.map((object) => ({ ...object, apiVersion: wanted })),
});

async function faultOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'converted';
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status.reason, undefined);
    return error.message;
  }
}

describe('a conversion webhook', () => {
  test('sees objects without resourceVersion, and they come back with it', async () => {
    const client = new FakeClient(renames);
    const [converted] = await new WebhookConverter(crd, client).convert([widget('one')], 'example.com/v2');
    const [[seen]] = client.reviews as [[JsonObject]];
    assert.equal((seen.metadata as JsonObject).resourceVersion, undefined);
    assert.deepEqual(converted, { ...widget('one'), apiVersion: 'example.com/v2' });
  });

  test('is asked once about everything that is wanted in the same moment', async () => {
    const client = new FakeClient(renames);
    const converter = new WebhookConverter(crd, client);
    const names = ['a', 'b', 'c'];
    const all = await Promise.all(names.map((name) => converter.convert([widget(name)], 'example.com/v2')));
    assert.equal(client.reviews.length, 1);
    assert.deepEqual(
      all.map(([object]) => object?.metadata.name),
      names,
    );
  });

  test('is not asked about objects that need no conversion', async () => {
    const client = new FakeClient(renames);
    const object = widget('one');
    const [same] = await new WebhookConverter(crd, client).convert([object], 'example.com/v1');
    assert.equal(same, object);
    assert.equal(client.reviews.length, 0);
  });

  test('that chokes on one object does not fail the others of the same moment', async () => {
    const client = new FakeClient((objects, wanted) =>
      objects.some(({ metadata }) => (metadata as JsonObject).name === 'bad')
        ? { result: { status: 'Failed', message: 'cannot' } }
        : renames(objects, wanted),
    );
    const converter = new WebhookConverter(crd, client);
    const [good, bad] = await Promise.allSettled(
      ['good', 'bad'].map((name) => converter.convert([widget(name)], 'example.com/v2')),
    );
    assert.equal(good?.status, 'fulfilled');
    assert.equal(bad?.status, 'rejected');
  });

  const head = 'conversion webhook for example.com/v1, Kind=Widget';
  const broken: readonly (readonly [string, Convert, string])[] = [
    ['cannot be reached', () => new WebhookCallError('no route'), `${head} failed: no route`],
    ['refuses', () => ({ result: { status: 'Failed', message: 'cannot' } }), `${head} failed: cannot`],
    ['says nothing', () => ({ result: {} }), `${head} failed: response.result.status was '', not 'Success'`],
    ['answers another question', () => ({ ...success, uid: 'x' }), `${head} failed: expected response.uid=`],
    ['loses an object', () => ({ ...success, convertedObjects: [] }), `${head} returned 0 objects, expected 1`],
    [
      'renames the object',
      (objects, wanted) => ({
        ...success,
        convertedObjects: objects.map((o) => ({ ...o, apiVersion: wanted, metadata: { name: 'other' } })),
      }),
      `${head} returned invalid object: must have the same name: one != other`,
    ],
    [
      'makes another object of it',
      (objects, wanted) => ({
        ...success,
        convertedObjects: objects.map((o) => ({
          ...o,
          apiVersion: wanted,
          metadata: { ...(o.metadata as JsonObject), uid: 'u-x' },
        })),
      }),
      `${head} returned invalid object: must have the same UID: u-one != u-x`,
    ],
    [
      'does not convert',
      (objects) => ({ ...success, convertedObjects: objects }),
      `${head} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
    ],
  ];
  for (const [what, convert, words] of broken) {
    test(`that ${what} fails the request`, async () => {
      const converter = new WebhookConverter(crd, new FakeClient(convert));
      const fault = await faultOf(converter.convert([widget('one')], 'example.com/v2'));
      assert.ok(fault.startsWith(words), fault);
    });
  }

  test('may change labels and annotations and nothing else of the metadata', async () => {
    const client = new FakeClient((objects, wanted) => ({
      ...success,
      convertedObjects: objects.map((o) => ({
        ...o,
        apiVersion: wanted,
        metadata: { ...(o.metadata as JsonObject), labels: { c: 'd' }, annotations: { e: 'f' }, generation: 99 },
      })),
    }));
    const [converted] = await new WebhookConverter(crd, client).convert([widget('one')], 'example.com/v2');
    assert.deepEqual(converted?.metadata, {
      name: 'one',
      namespace: 'a',
      uid: 'u-one',
      resourceVersion: '7',
      labels: { c: 'd' },
      annotations: { e: 'f' },
    });
  });

  test('that is needed at once answers when it is asked again', async () => {
    const converter = new WebhookConverter(crd, new FakeClient(renames));
    const pending = await Promise.resolve()
      .then(() => converter.convertNow(widget('one'), 'example.com/v2'))
      .catch((error: unknown) => error);
    assert.ok(pending instanceof PendingConversion);
    await pending.done;
    assert.equal(converter.convertNow(widget('one'), 'example.com/v2').apiVersion, 'example.com/v2');
  });
});

describe('a conversion of this program', () => {
  test('is held to the rules of webhooks', async () => {
    const good = inProcessConverter((object, to) => ({ ...object, apiVersion: to }));
    assert.equal((await good.convert([widget('one')], 'example.com/v2'))[0]?.apiVersion, 'example.com/v2');
    const bad = inProcessConverter((object, to) => ({ ...object, apiVersion: to, metadata: { name: 'other' } }));
    assert.throws(() => bad.convert([widget('one')], 'example.com/v2'), /must have the same name: one != other/);
    const throwing = inProcessConverter(() => {
      throw new Error('unheard of');
    });
    assert.throws(() => throwing.convert([widget('one')], 'example.com/v2'), /failed: unheard of/);
  });

  test('steps back where the definition names a webhook', () => {
    const own = inProcessConverter((object) => object);
    const choose = converterFactory(() => own, new FakeClient(renames));
    assert.ok(choose(crd) instanceof WebhookConverter);
    assert.equal(choose({ ...crd, spec: { ...crd.spec, conversion: { strategy: 'None' } } }), own);
  });
});
