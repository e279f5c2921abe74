import type { JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import { configMap, core, grouped, pod, widget, widgetCrd, widgets } from '../fixtures.ts';
import {
  askedOf,
  jsonPatch,
  objectOf,
  register,
  registration,
  review,
  webhookOf,
  withoutRepeats,
} from '../webhook-steps.ts';

const mutating = 'MutatingWebhookConfiguration';
const validating = 'ValidatingWebhookConfiguration';
const show = (answer: ApiAnswer) => answer.at('data') ?? answer.body;
const dataOf = (asked: JsonObject) => (objectOf(asked).data ?? {}) as JsonObject;

/** Adds one key to the data of a ConfigMap, telling what was there before. */
function addKey(asked: JsonObject, key: string): JsonObject {
  const before = Object.keys(dataOf(asked)).sort().join('+');
  const hasData = objectOf(asked).data !== undefined;
  const start = hasData ? [] : [{ op: 'add', path: '/data', value: {} }];
  return jsonPatch([...start, { op: 'add', path: `/data/${key}`, value: `after ${before}` }]);
}

const isProbe = (asked: JsonObject) => askedOf(asked).name === 'probe';

/** Admission webhooks, in depth. */
export const admission = topic('admission', {
  'mutating-order': async (t) => {
    const hook = await t.webhook((asked, path) => review(asked, { allowed: true, ...addKey(asked, path.slice(1)) }));
    const at = (name: string) => ({
      name: `${name}.${t.group}`,
      clientConfig: { url: `${hook.url}/${name}`, caBundle: hook.caBundle },
    });
    await register(t, hook, { kind: mutating, several: [at('zulu'), at('alpha')], name: `${t.slug}-b` });
    await register(t, hook, { kind: mutating, several: [at('mike')], name: `${t.slug}-a` });
    await t.settle('all three are called', async () => {
      const answer = await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('probe'), { quiet: true });
      return Object.keys((answer.at('data') ?? {}) as JsonObject).length === 3;
    });
    await t.post(core(t, 'configmaps'), configMap('one'), { show });
    await t.post(core(t, 'configmaps'), configMap('two', { given: '1' }), { show });
  },
  reinvocation: async (t) => {
    const seen: string[] = [];
    const hook = await t.webhook((asked, path) => {
      // The bundle of certificates that every namespace gets may be late.
      if (isProbe(asked) || dataOf(asked)['ca.crt'] !== undefined) return review(asked, { allowed: true });
      seen.push(`${path} saw ${Object.keys(dataOf(asked)).sort().join('+')}`);
      const key = path.slice(1);
      return review(
        asked,
        dataOf(asked)[key] === undefined ? { allowed: true, ...addKey(asked, key) } : { allowed: true },
      );
    });
    const at = (name: string, reinvocationPolicy: string) => ({
      name: `${name}.${t.group}`,
      reinvocationPolicy,
      clientConfig: { url: `${hook.url}/${name}`, caBundle: hook.caBundle },
    });
    await register(t, hook, {
      kind: mutating,
      several: [at('first', 'IfNeeded'), at('second', 'Never'), at('third', 'IfNeeded')],
    });
    await t.post(core(t, 'configmaps'), configMap('one', { x: '1' }), { show });
    t.note('calls', seen.splice(0));
    await t.post(core(t, 'configmaps'), configMap('two', { x: '1', first: '1', second: '1', third: '1' }), { show });
    t.note('calls when nothing changes', seen.splice(0));
    await t.patch(core(t, 'configmaps', 'one'), 'merge', { data: { second: null } }, { show });
    t.note('calls of an update', seen.splice(0));
  },
  'mutated-then-validated': async (t) => {
    const hook = await t.webhook((asked, path) =>
      review(
        asked,
        path === '/mutate'
          ? { allowed: true, ...addKey(asked, 'added') }
          : { allowed: isProbe(asked) || dataOf(asked).added !== undefined, status: { message: 'nothing added' } },
      ),
    );
    const clientConfig = { url: `${hook.url}/mutate`, caBundle: hook.caBundle };
    await register(t, hook, { kind: validating });
    await t.post(core(t, 'configmaps'), configMap('early'));
    await register(t, hook, { kind: mutating, changes: { clientConfig } });
    await t.settle(
      'it mutates',
      async () =>
        (await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('probe'), { quiet: true })).at('data') !==
        undefined,
    );
    await t.post(core(t, 'configmaps'), configMap('late'), { show });
  },
  'mutation-and-field-owners': async (t) => {
    const hook = await t.webhook((asked) =>
      review(asked, isProbe(asked) ? { allowed: true } : { allowed: true, ...addKey(asked, 'hook') }),
    );
    await register(t, hook, { kind: mutating });
    await t.patch(`${core(t, 'configmaps', 'one')}?fieldManager=alice`, 'apply', configMap('one', { a: '1' }));
    await t.patch(`${core(t, 'configmaps', 'one')}?fieldManager=bob`, 'apply', configMap('one', { hook: '2' }));
    await t.post(`${core(t, 'configmaps')}?fieldManager=poster`, configMap('two', { a: '1' }));
    await t.put(`${core(t, 'configmaps', 'two')}?fieldManager=putter`, configMap('two', { a: '1', b: '2' }));
  },
  'mutation-of-metadata': async (t) => {
    const changes: Record<string, JsonObject[]> = {
      named: [{ op: 'replace', path: '/metadata/name', value: 'other' }],
      spaced: [{ op: 'replace', path: '/metadata/namespace', value: 'default' }],
      kinded: [{ op: 'replace', path: '/kind', value: 'Secret' }],
      annotated: [{ op: 'add', path: '/metadata/annotations', value: { 'example.com/a': 'b' } }],
      finalized: [{ op: 'add', path: '/metadata/finalizers', value: ['example.com/x'] }],
      aliens: [{ op: 'add', path: '/alien', value: 1 }],
      typed: [{ op: 'add', path: '/data', value: { a: 1 } }],
      versioned: [{ op: 'add', path: '/metadata/resourceVersion', value: '77' }],
      identified: [{ op: 'add', path: '/metadata/uid', value: '11111111-2222-3333-4444-555555555555' }],
    };
    const hook = await t.webhook((asked) => {
      const patch = changes[String(askedOf(asked).name)];
      return review(asked, patch === undefined ? { allowed: true } : { allowed: true, ...jsonPatch(patch) });
    });
    await register(t, hook, { kind: mutating });
    for (const name of Object.keys(changes)) await t.post(core(t, 'configmaps'), configMap(name));
  },
  'timeouts-fail': async (t) => {
    const hook = await t.webhook(async (asked) => {
      if (!isProbe(asked)) await new Promise((done) => setTimeout(done, 3000).unref());
      return review(asked, { allowed: true });
    });
    await register(t, hook, { kind: validating, changes: { timeoutSeconds: 1, failurePolicy: 'Fail' } });
    await t.post(core(t, 'configmaps'), configMap('slow'), {
      show: (answer) => answer.str('message').replace(/\?timeout=\d+\w*/, '?timeout=<n>'),
    });
    await t.get(core(t, 'configmaps', 'slow'), { show: (answer) => answer.code });
  },
  'timeouts-are-ignored': async (t) => {
    const hook = await t.webhook(async (asked) => {
      if (!isProbe(asked)) await new Promise((done) => setTimeout(done, 3000).unref());
      return review(asked, { allowed: false });
    });
    await register(t, hook, { kind: mutating, changes: { timeoutSeconds: 1, failurePolicy: 'Ignore' } });
    await t.post(core(t, 'configmaps'), configMap('slow'));
  },
  'unreachable-webhooks': async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: true }));
    await register(t, hook, { kind: validating });
    await hook.close();
    // A connection that was kept open breaks in another way than one that is to be made.
    const message = (answer: ApiAnswer) => answer.str('message').replace(/(dial|write|read) tcp .*$|EOF$/, '<why>');
    await t.post(core(t, 'configmaps'), configMap('one'), { show: message });
    await t.patch(
      `${registration}/validatingwebhookconfigurations/${t.slug}`,
      'json',
      [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
      { quiet: true },
    );
    await t.settle(
      'failures are ignored',
      async () =>
        (await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('probe'), { quiet: true })).code === 201,
    );
    await t.post(core(t, 'configmaps'), configMap('one'), { show: (answer) => answer.code });
  },
  'untrusted-webhooks': async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: true }));
    await register(t, hook, { kind: validating });
    await t.patch(
      `${registration}/validatingwebhookconfigurations/${t.slug}`,
      'json',
      [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }],
      { quiet: true },
    );
    await t.settle(
      'it is not trusted',
      async () =>
        (await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('probe'), { quiet: true })).code === 500,
    );
    await t.post(core(t, 'configmaps'), configMap('one'), {
      show: (answer) => [answer.code, answer.str('reason'), answer.str('message').includes('failed calling webhook')],
    });
  },
  'match-conditions': async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: isProbe(asked), status: { message: 'caught' } }));
    const matchConditions = [
      { name: 'not-dry', expression: '!has(request.dryRun) || !request.dryRun || object.metadata.name == "probe"' },
      { name: 'not-free', expression: 'request.operation == "DELETE" || !(has(object.data) && "free" in object.data)' },
      { name: 'user', expression: 'request.userInfo.username != "somebody"' },
      { name: 'old', expression: 'oldObject == null || !has(oldObject.data) || !("keep" in oldObject.data)' },
    ];
    await register(t, hook, { kind: validating, changes: { matchConditions } });
    const codes = (answer: ApiAnswer) => [answer.code, answer.at('message') ?? null];
    await t.post(core(t, 'configmaps'), configMap('caught'), { show: codes });
    await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('dry'), { show: codes });
    await t.post(core(t, 'configmaps'), configMap('free', { free: 'yes', keep: 'yes' }), { show: codes });
    await t.patch(core(t, 'configmaps', 'free'), 'merge', { data: { free: null } }, { show: codes });
    await t.patch(core(t, 'configmaps', 'free'), 'merge', { data: { keep: null } }, { show: codes });
    await t.delete(core(t, 'configmaps', 'free'), undefined, { show: codes });
  },
  'match-conditions-that-fail': async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: true }));
    const matchConditions = [
      { name: 'breaks', expression: 'object.metadata.name == "probe" || object.data["none"] == "x"' },
    ];
    await register(t, hook, { kind: validating, changes: { matchConditions } });
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }));
    await t.patch(
      `${registration}/validatingwebhookconfigurations/${t.slug}`,
      'json',
      [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
      { quiet: true },
    );
    await t.settle(
      'failures are ignored',
      async () =>
        (await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('other', { a: '1' }), { quiet: true })).code ===
        201,
    );
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }), { show: (answer) => answer.code });
  },
  'bad-match-conditions': async (t) => {
    const hook = { url: 'https://127.0.0.1:1', caBundle: '' };
    const post = (...matchConditions: JsonObject[]) => {
      const { clientConfig, ...rest } = webhookOf(t, hook, { matchConditions });
      const body = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: validating,
        metadata: { name: t.slug },
        webhooks: [{ ...rest, clientConfig: { url: 'https://127.0.0.1:1/x' } }],
      };
      return t.post(`${registration}/validatingwebhookconfigurations?dryRun=All`, body, {
        show: (answer) => answer.at('details.causes') ?? answer.code,
      });
    };
    await post({ name: 'a', expression: 'true +' });
    await post({ name: 'a', expression: 'object.metadata.name' });
    await post({ name: 'a', expression: 'nothing == 1' });
    await post({ name: '', expression: 'true' });
    await post({ name: 'Bad Name', expression: 'true' });
    await post({ name: 'a', expression: '' });
    await post({ name: 'a', expression: 'true' }, { name: 'a', expression: 'true' });
    await post({ name: 'a', expression: 'authorizer.group("").resource("pods").check("get").allowed()' });
    await post(...Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' })));
  },
  'namespace-selectors': async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: isProbe(asked), status: { message: 'caught' } }));
    const namespaceSelector = {
      matchExpressions: [
        { key: 'kubernetes.io/metadata.name', operator: 'In', values: [t.ns] },
        { key: 'guarded', operator: 'NotIn', values: ['no'] },
      ],
    };
    await register(t, hook, { kind: validating, changes: { namespaceSelector } });
    await t.post(core(t, 'configmaps'), configMap('one'));
    await t.patch(`/api/v1/namespaces/${t.ns}`, 'merge', { metadata: { labels: { guarded: 'no' } } }, { quiet: true });
    await t.settle(
      'the namespace is no longer selected',
      async () =>
        (await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('other'), { quiet: true })).code === 201,
    );
    await t.post(core(t, 'configmaps'), configMap('one'), { show: (answer) => answer.code });
  },
  'object-selectors-see-both-sides': async (t) => {
    const hook = await t.webhook((asked) =>
      review(asked, { allowed: askedOf(asked).dryRun === true, status: { message: 'caught' } }),
    );
    await register(t, hook, {
      kind: validating,
      changes: { objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] } },
    });
    await t.patch(
      `${registration}/validatingwebhookconfigurations/${t.slug}`,
      'json',
      [{ op: 'replace', path: '/webhooks/0/objectSelector', value: { matchLabels: { guarded: 'yes' } } }],
      { quiet: true },
    );
    await t.settle('the new selector is in force', async () => {
      hook.reviews.length = 0;
      await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('probe'), { quiet: true });
      return hook.reviews.length === 0;
    });
    const guarded = { labels: { guarded: 'yes' } };
    await t.post(core(t, 'configmaps'), configMap('one', {}, guarded), { show: (answer) => answer.at('message') });
    await t.post(core(t, 'configmaps'), configMap('one'), { show: (answer) => answer.code });
    await t.patch(
      core(t, 'configmaps', 'one'),
      'merge',
      { metadata: guarded },
      { show: (answer) => answer.at('message') },
    );
    await t.delete(core(t, 'configmaps', 'one'), undefined, { show: (answer) => answer.code });
  },
  'rules-with-wildcards': async (t) => {
    await t.crd(widgetCrd(t));
    const hook = await t.webhook((asked) => review(asked, { allowed: true }));
    const rules = [
      { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'], scope: 'Namespaced' },
    ];
    await register(t, hook, { kind: validating, changes: { rules } });
    await t.post(widgets(t), widget(t, 'one', { replicas: 1 }), { quiet: true });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { phase: 'x' } }, { quiet: true });
    await t.patch(`${widgets(t, 'one')}/scale`, 'merge', { spec: { replicas: 2 } }, { quiet: true });
    await t.post(core(t, 'pods'), pod('p'), { quiet: true });
    await t.post(
      `${core(t, 'pods', 'p')}/binding`,
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
      { quiet: true },
    );
    await t.delete(widgets(t, 'one'), undefined, { quiet: true });
    await t.delete(`${widgets(t)}?labelSelector=none`, undefined, { quiet: true });
    const asked = (hook.reviews as JsonObject[])
      .map(askedOf)
      .filter(
        (each) => !String(each.name).startsWith('kube-root') && (each.userInfo as JsonObject).username === 'admin',
      );
    const calls = asked.map(({ operation = '', resource = {}, subResource = '', kind = {}, requestKind = {} }) => ({
      ...{ operation, resource, subResource, kind, requestKind },
    }));
    t.note('calls', withoutRepeats(calls));
  },
  'equivalent-versions': async (t) => {
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    await t.crd(widgetCrd(t, [version('v1', true), version('v2', false)]));
    const hook = await t.webhook((asked) => review(asked, { allowed: true }));
    const operations = ['CREATE'];
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations },
      { apiGroups: [t.group], apiVersions: ['v1'], resources: ['widgets'], operations },
    ];
    await register(t, hook, { kind: validating, changes: { rules, matchPolicy: 'Equivalent' } });
    const other = { ...widget(t, 'one'), apiVersion: `${t.group}/v2` };
    await t.post(grouped(t, `${t.group}/v2`, 'widgets'), other, { show: (answer) => answer.code });
    t.note('what an equivalent rule sees', askedOf((hook.reviews.at(-1) ?? { request: {} }) as JsonObject));
    await t.patch(
      `${registration}/validatingwebhookconfigurations/${t.slug}`,
      'json',
      [{ op: 'replace', path: '/webhooks/0/matchPolicy', value: 'Exact' }],
      { quiet: true },
    );
    await t.settle('only exact matches count', async () => {
      hook.reviews.length = 0;
      await t.post(
        `${grouped(t, `${t.group}/v2`, 'widgets')}?dryRun=All`,
        { ...other, metadata: { name: 'two' } },
        { quiet: true },
      );
      return hook.reviews.length === 0;
    });
  },
  'denials-and-warnings': async (t) => {
    const verdicts: Record<string, JsonObject & { allowed: boolean }> = {
      code: { allowed: false, status: { code: 409, message: 'in conflict', reason: 'Conflict' } },
      details: {
        allowed: false,
        status: { message: 'with details', details: { name: 'x', causes: [{ field: 'data', message: 'bad' }] } },
      },
      success: { allowed: false, status: { code: 200, status: 'Success', message: 'odd' } },
      warned: { allowed: false, warnings: ['first', 'second'], status: { message: 'no' } },
      many: { allowed: true, warnings: ['a', 'a', 'b', 'x'.repeat(300), 'with "quotes" and \\ and ä'] },
      empty: { allowed: true, warnings: ['', ' '] },
      noted: { allowed: true, auditAnnotations: { key: 'value', 'bad key!': 'x' } },
    };
    const hook = await t.webhook((asked) => review(asked, verdicts[String(askedOf(asked).name)] ?? { allowed: true }));
    await register(t, hook, { kind: validating });
    for (const name of Object.keys(verdicts)) await t.post(core(t, 'configmaps'), configMap(name));
  },
  'deletes-are-reviewed': async (t) => {
    const hook = await t.webhook((asked) => {
      const request = askedOf(asked);
      return review(asked, {
        allowed:
          request.operation !== 'DELETE' ||
          ((request.oldObject as JsonObject).data as JsonObject | undefined)?.lock === undefined,
        status: { message: 'locked' },
      });
    });
    await register(t, hook, { kind: validating });
    for (const name of ['a', 'b', 'c'])
      await t.post(
        core(t, 'configmaps'),
        configMap(name, name === 'b' ? { lock: '1' } : {}, { labels: { mine: 'yes' } }),
        { quiet: true },
      );
    await t.delete(core(t, 'configmaps', 'b'));
    await t.delete(`${core(t, 'configmaps')}?labelSelector=mine`, undefined, {
      show: (answer) => answer.at('message') ?? answer.code,
    });
    await t.get(core(t, 'configmaps', 'b'), { show: (answer) => answer.code });
    await t.delete(`${core(t, 'configmaps', 'b')}?dryRun=All`, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 4,
    });
    t.note('review of a delete with options', askedOf(hook.reviews.at(-1) as JsonObject));
  },
  'configurations-guard-themselves': async (t) => {
    const hook = await t.webhook((asked) => review(asked, { allowed: isProbe(asked) }));
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] },
      { apiGroups: ['admissionregistration.k8s.io'], apiVersions: ['*'], resources: ['*'], operations: ['*'] },
    ];
    await register(t, hook, { kind: validating, changes: { rules } });
    const path = `${registration}/validatingwebhookconfigurations/${t.slug}`;
    await t.patch(
      path,
      'merge',
      { metadata: { labels: { a: 'b' } } },
      { show: (answer) => answer.at('metadata.labels') ?? answer.body },
    );
    await t.delete(path, undefined, { show: (answer) => answer.at('status') ?? answer.body });
    await t.settle(
      'nobody is asked any more',
      async () =>
        (await t.post(`${core(t, 'configmaps')}?dryRun=All`, configMap('other'), { quiet: true })).code === 201,
    );
  },
  'status-and-scale-are-reviewed': async (t) => {
    await t.crd(widgetCrd(t));
    const hook = await t.webhook((asked) =>
      review(
        asked,
        askedOf(asked).subResource === 'status'
          ? {
              allowed: true,
              ...jsonPatch([
                { op: 'add', path: '/status/phase', value: 'ByHook' },
                { op: 'add', path: '/spec/size', value: 77 },
              ]),
            }
          : { allowed: true },
      ),
    );
    const rules = [
      {
        apiGroups: ['', t.group],
        apiVersions: ['v1'],
        resources: ['configmaps', 'widgets/status', 'widgets/scale'],
        operations: ['CREATE', 'UPDATE'],
      },
    ];
    await register(t, hook, { kind: mutating, changes: { rules } });
    await t.post(widgets(t), widget(t, 'one', { replicas: 1 }), { quiet: true });
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { replicas: 1 } });
    await t.patch(
      `${widgets(t, 'one')}/scale`,
      'merge',
      { spec: { replicas: 2 } },
      { show: (answer) => answer.at('spec') },
    );
    t.note('review of a scale', askedOf((hook.reviews.at(-1) ?? { request: {} }) as JsonObject));
  },
});
