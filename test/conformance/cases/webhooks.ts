import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import { configMap, core, widget, widgetCrd, widgets } from '../fixtures.ts';
import { askedOf, jsonPatch, register, registration, review, webhookOf, withoutRepeats } from '../webhook-steps.ts';

function deny(asked: JsonObject): boolean {
  const object = (asked.request as JsonObject).object as JsonObject | null;
  return (object?.data as JsonObject | undefined)?.forbidden !== undefined;
}

/** Admission webhooks, called over HTTPS. */
export const webhooks = topic('webhooks', {
  'registration-defaults': async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: true }));
    for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
      const path = `${registration}/${kind.toLowerCase()}s`;
      const base = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: t.slug } };
      await t.post(path, { ...base, webhooks: [webhookOf(t, hook)] });
      const bad = (changes: JsonObject) => ({
        ...base,
        metadata: { name: `${t.slug}-bad` },
        webhooks: [webhookOf(t, hook, changes)],
      });
      await t.post(path, bad({ sideEffects: 'Some' }));
      await t.post(path, bad({ name: 'short' }));
      await t.post(path, bad({ clientConfig: { url: 'http://example.com' } }));
      await t.post(path, bad({ clientConfig: {} }));
      await t.post(path, bad({ failurePolicy: 'Perhaps', timeoutSeconds: 99 }));
      await t.post(path, bad({ admissionReviewVersions: [] }));
      await t.post(
        path,
        bad({ rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['READ'] }] }),
      );
      await t.delete(`${path}/${t.slug}`);
    }
  },
  validating: async (t) => {
    const hook = await t.webhook((asked) =>
      review(
        asked,
        deny(asked)
          ? { allowed: false, status: { message: 'not here', code: 418, reason: 'Teapot' } }
          : { allowed: true, warnings: ['think again'] },
      ),
    );
    await register(t, hook, { kind: 'ValidatingWebhookConfiguration' });
    await t.post(core(t, 'configmaps'), configMap('one', { fine: '1' }));
    t.note('review of a create', hook.reviews[0]);
    await t.post(core(t, 'configmaps'), configMap('two', { forbidden: '1' }));
    await t.patch(core(t, 'configmaps', 'one'), 'merge', { data: { forbidden: '1' } });
    await t.patch(core(t, 'configmaps', 'one'), 'merge', { data: { other: '1' } });
    t.note('review of an update', hook.reviews.at(-1));
    await t.delete(core(t, 'configmaps', 'one'));
    t.note('review of a delete', hook.reviews.at(-1));
    await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('dry'));
    t.note('review of a dry run', hook.reviews.at(-1));
  },
  'bare-denial': async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: !deny(asked) }));
    await register(t, hook, { kind: 'ValidatingWebhookConfiguration' });
    await t.post(core(t, 'configmaps'), configMap('two', { forbidden: '1' }));
  },
  mutating: async (t) => {
    const hook = await t.webhook((asked) =>
      review(asked, {
        allowed: true,
        ...jsonPatch([{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }]),
      }),
    );
    await register(t, hook, { kind: 'MutatingWebhookConfiguration' });
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }));
    await t.patch(core(t, 'configmaps', 'one'), 'merge', { metadata: { labels: null } });
    const asked = (hook.reviews as JsonObject[]).map(askedOf);
    t.note('calls', withoutRepeats(asked.map(({ operation = '', name = '' }) => ({ operation, name }))));
  },
  'mutating-widgets': async (t) => {
    await t.crd(widgetCrd(t));
    const hook = await t.webhook((asked) => {
      const isProbe = ((asked.request as JsonObject).resource as JsonObject).resource === 'configmaps';
      const patch = jsonPatch([
        { op: 'replace', path: '/spec/size', value: 42 },
        { op: 'add', path: '/spec/alien', value: 1 },
      ]);
      return review(asked, isProbe ? { allowed: true } : { allowed: true, ...patch });
    });
    const rules = [
      { apiGroups: ['', t.group], apiVersions: ['v1'], resources: ['configmaps', 'widgets'], operations: ['CREATE'] },
    ];
    await register(t, hook, { kind: 'MutatingWebhookConfiguration', changes: { rules } });
    await t.post(widgets(t), widget(t, 'one', { size: 3 }));
    t.note('review', hook.reviews.at(-1));
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 4 } });
    await t.patch(`${widgets(t, 'two')}?fieldManager=alice`, 'apply', widget(t, 'two', { size: 5 }));
  },
  'mutation-must-be-valid': async (t) => {
    const answers: Record<string, JsonObject> = {
      'bad-patch': jsonPatch([{ op: 'remove', path: '/nowhere/at/all' }]),
      'not-a-patch': { patchType: 'JSONPatch', patch: Buffer.from('what').toString('base64') },
      'no-type': { patch: Buffer.from('[]').toString('base64') },
      'wrong-object': jsonPatch([{ op: 'add', path: '/metadata/labels', value: { 'bad key!': 'x' } }]),
    };
    const hook = await t.webhook((asked) =>
      review(asked, { allowed: true, ...answers[String((asked.request as JsonObject).name)] }),
    );
    await register(t, hook, { kind: 'MutatingWebhookConfiguration' });
    for (const name of Object.keys(answers)) await t.post(core(t, 'configmaps'), configMap(name));
  },
  'failure-policy': async (t) => {
    const hook = await t.webhook((asked) => {
      const name = String((asked.request as JsonObject).name);
      if (name === 'broken') return { httpCode: 500, text: 'oh no' };
      if (name === 'garbage') return { hello: 'world' };
      if (name === 'wrong-uid') return review({ request: { uid: 'other' } }, { allowed: true });
      return review(asked, { allowed: true });
    });
    await register(t, hook, { kind: 'ValidatingWebhookConfiguration', changes: { failurePolicy: 'Fail' } });
    await t.post(core(t, 'configmaps'), configMap('broken'));
    await t.post(core(t, 'configmaps'), configMap('garbage'));
    await t.post(core(t, 'configmaps'), configMap('wrong-uid'));
  },
  'failure-policy-ignore': async (t) => {
    const hook = await t.webhook((asked) => {
      const name = String((asked.request as JsonObject).name);
      return name === 'broken' ? { httpCode: 500, text: 'oh no' } : review(asked, { allowed: true });
    });
    await register(t, hook, { kind: 'ValidatingWebhookConfiguration', changes: { failurePolicy: 'Ignore' } });
    await t.post(core(t, 'configmaps'), configMap('broken'));
    await hook.close();
    await t.post(core(t, 'configmaps'), configMap('unreachable'));
  },
  selectors: async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: (asked.request as JsonObject).name === 'probe' }));
    const changes = {
      objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
      matchConditions: [{ name: 'not-skipped', expression: '!object.metadata.name.startsWith("free")' }],
    };
    await register(t, hook, { kind: 'ValidatingWebhookConfiguration', changes });
    await t.post(core(t, 'configmaps'), configMap('caught'));
    await t.post(core(t, 'configmaps'), configMap('skipped', {}, { labels: { skip: '1' } }));
    await t.post(core(t, 'configmaps'), configMap('free-one'));
    await t.post('/api/v1/namespaces/default/configmaps?dryRun=All', configMap('elsewhere'));
    await t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'other-kind' } });
  },
  'status-and-subresources': async (t) => {
    await t.crd(widgetCrd(t));
    const hook = await t.webhook((asked) => {
      const request = asked.request as JsonObject;
      return review(asked, {
        allowed: (request.resource as JsonObject).resource === 'configmaps' || request.operation === 'CREATE',
      });
    });
    const operations = ['CREATE', 'UPDATE'];
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations },
      { apiGroups: [t.group], apiVersions: ['*'], resources: ['widgets/status'], operations, scope: 'Namespaced' },
    ];
    await register(t, hook, { kind: 'ValidatingWebhookConfiguration', changes: { rules } });
    await t.post(widgets(t), widget(t, 'one'));
    await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 7 } });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'x' } });
    t.note('review', hook.reviews.at(-1));
  },
});
