import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { grouped, widget, widgetCrd, widgets, widgetVersion } from '../fixtures.ts';

const twoFields: JsonObject = {
  type: 'object',
  properties: { size: { type: 'integer' }, width: { type: 'integer' }, label: { type: 'string' } },
};

function convert(asked: JsonObject, change: (object: JsonObject, wanted: string) => JsonObject): JsonObject {
  const request = asked.request as JsonObject;
  const wanted = String(request.desiredAPIVersion);
  const convertedObjects = (request.objects as JsonObject[]).map((each) => ({
    ...change(each, wanted),
    apiVersion: wanted,
  }));
  const response = { uid: request.uid ?? '', result: { status: 'Success' }, convertedObjects };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
}

/** v1 calls it size, v2 calls it width. */
function rename(object: JsonObject, wanted: string): JsonObject {
  const spec = { ...((object.spec ?? {}) as JsonObject) };
  if (wanted.endsWith('/v2') && spec.size !== undefined) {
    spec.width = spec.size;
    delete spec.size;
  } else if (wanted.endsWith('/v1') && spec.width !== undefined) {
    spec.size = spec.width;
    delete spec.width;
  }
  return { ...object, spec };
}

function versions(): JsonObject[] {
  return [widgetVersion('v1', { storage: true }, twoFields), widgetVersion('v2', { storage: false }, twoFields)];
}

function byWebhook(hook: { url: string; caBundle: string }): JsonObject {
  const clientConfig = { url: `${hook.url}/convert`, caBundle: hook.caBundle };
  return { conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } };
}

function second(t: CaseRun, name?: string): string {
  return grouped(t, `${t.group}/v2`, 'widgets', name);
}

/** Several versions of one kind, with and without a conversion webhook. */
export const conversion = topic('conversion', {
  none: async (t) => {
    await t.crd(widgetCrd(t, versions()));
    await t.post(widgets(t), widget(t, 'one', { size: 3, label: 'x' }));
    await t.get(second(t, 'one'));
    await t.patch(second(t, 'one'), 'merge', { spec: { width: 4 } });
    await t.get(widgets(t));
    await t.post(second(t), { ...widget(t, 'two'), apiVersion: `${t.group}/v2` });
    await t.post(second(t), widget(t, 'three'));
    await t.get(`/apis/${t.group}`);
  },
  'storage-switch': async (t) => {
    const stored = (version: string) => [
      widgetVersion('v1', { storage: version === 'v1' }, twoFields),
      widgetVersion('v2', { storage: version === 'v2', deprecated: version === 'v2' }, twoFields),
    ];
    await t.crd(widgetCrd(t, stored('v1')));
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), { quiet: true });
    const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${t.group}`;
    await t.patch(
      crd,
      'merge',
      { spec: { versions: stored('v2') } },
      { show: (answer) => answer.at('status.storedVersions') },
    );
    await t.settle('the new definition is served', async () => {
      const { headers } = await t.get(second(t, 'one'), { quiet: true });
      return headers.warning !== undefined;
    });
    const before = await t.get(second(t, 'one'), { quiet: true });
    const after = await t.put(second(t, 'one'), before.body as JsonObject);
    const again = await t.put(second(t, 'one'), after.body as JsonObject, { quiet: true });
    const versions = [before, after, again].map((answer) => answer.str('metadata.resourceVersion'));
    t.note('a PUT of the same writes', [versions[0] !== versions[1], versions[1] !== versions[2]]);
  },
  'pruned-when-stored': async (t) => {
    const fields = (...names: string[]): JsonObject => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    });
    const first = widgetVersion('v1', { storage: false }, fields('a', 'both'));
    await t.crd(widgetCrd(t, [first, widgetVersion('v2', { storage: true }, fields('b', 'both'))]));
    await t.post(widgets(t), widget(t, 'one', { a: 'x', both: 'y' }));
    await t.get(second(t, 'one'));
    await t.get(widgets(t, 'one'));
  },
  webhook: async (t) => {
    const hook = await t.webhook((asked) => convert(asked, rename));
    await t.crd(widgetCrd(t, versions(), byWebhook(hook)));
    await t.post(widgets(t), widget(t, 'one', { size: 3, label: 'x' }));
    await t.get(second(t, 'one'));
    const review = hook.reviews.at(-1) as JsonObject;
    t.note('review', {
      apiVersion: review.apiVersion ?? null,
      kind: review.kind ?? null,
      request: review.request ?? null,
    });
    await t.put(second(t, 'one'), { ...widget(t, 'one', { width: 8 }), apiVersion: `${t.group}/v2` });
    await t.get(widgets(t, 'one'));
    await t.post(second(t), { ...widget(t, 'two', { width: 5 }), apiVersion: `${t.group}/v2` });
    await t.get(second(t));
    await t.patch(second(t, 'two'), 'merge', { spec: { width: 6 } });
    await t.patch(`${second(t, 'two')}/status`, 'merge', { status: { phase: 'Ready' } });
    await t.delete(second(t, 'two'));
  },
  'webhook-watch': async (t) => {
    const hook = await t.webhook((asked) => convert(asked, rename));
    await t.crd(widgetCrd(t, versions(), byWebhook(hook)));
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), { quiet: true });
    const stream = await t.watch(`${second(t)}?watch=true`);
    await stream.take(1);
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 9 } }, { quiet: true });
    await stream.take(1);
  },
  'webhook-apply': async (t) => {
    const hook = await t.webhook((asked) => convert(asked, rename));
    await t.crd(widgetCrd(t, versions(), byWebhook(hook)));
    await t.patch(`${widgets(t, 'one')}?fieldManager=alice`, 'apply', widget(t, 'one', { size: 3 }));
    const other = { ...widget(t, 'one', { width: 4 }), apiVersion: `${t.group}/v2` };
    await t.patch(`${second(t, 'one')}?fieldManager=bob`, 'apply', other);
    await t.patch(`${second(t, 'one')}?fieldManager=alice`, 'apply', other);
  },
  'webhook-failures': async (t) => {
    let mode = 'fine';
    const hook = await t.webhook((asked) => {
      if (mode === 'http') return { httpCode: 500, text: 'oh no' };
      if (mode === 'renames')
        return convert(asked, (object) => ({
          ...object,
          metadata: { ...(object.metadata as JsonObject), name: 'other' },
        }));
      const answer = convert(asked, rename);
      const response = answer.response as JsonObject;
      if (mode === 'refuses')
        return { ...answer, response: { uid: response.uid ?? '', result: { status: 'Failed', message: 'cannot' } } };
      if (mode === 'too-few') return { ...answer, response: { ...response, convertedObjects: [] } };
      return answer;
    });
    await t.crd(widgetCrd(t, versions(), byWebhook(hook)));
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), { quiet: true });
    for (const next of ['http', 'renames', 'refuses', 'too-few']) {
      mode = next;
      await t.get(second(t, 'one'));
    }
    await t.get(widgets(t, 'one'));
    await t.delete(widgets(t, 'one'), undefined, { quiet: true });
  },
  'served-and-storage': async (t) => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    // The messages of these two quote the server's internal form of all versions.
    const show = (answer: ApiAnswer) =>
      ((answer.at('details.causes') ?? []) as JsonObject[]).map((each) => each.field ?? '');
    await t.post(crds, widgetCrd(t, [widgetVersion('v1'), widgetVersion('v2')]), { show });
    await t.post(crds, widgetCrd(t, [widgetVersion('v1', { storage: false })]), { show });
    await t.crd(widgetCrd(t, [widgetVersion('v1'), widgetVersion('v2', { storage: false, served: false })]));
    await t.get(second(t));
    await t.get(`${crds}/widgets.${t.group}`);
  },
});
