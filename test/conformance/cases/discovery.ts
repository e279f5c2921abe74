import type { Json, JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { topic } from '../case.ts';
import { widgetCrd, widgetVersion } from '../fixtures.ts';

/** The embedded server serves these built-in groups; the real one serves more. */
const servedGroups = [
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'batch',
  'policy',
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'coordination.k8s.io',
];

const servedResources: Record<string, string[]> = {
  '/api/v1': [
    'namespaces',
    'namespaces/status',
    'namespaces/finalize',
    'secrets',
    'configmaps',
    'events',
    'serviceaccounts',
    'serviceaccounts/token',
    'nodes',
    'nodes/status',
    'pods',
    'pods/status',
    'pods/eviction',
  ],
  '/apis/events.k8s.io/v1': ['events'],
  '/apis/batch/v1': ['jobs', 'jobs/status'],
  '/apis/policy/v1': ['poddisruptionbudgets', 'poddisruptionbudgets/status'],
  '/apis/coordination.k8s.io/v1': ['leases'],
  '/apis/rbac.authorization.k8s.io/v1': ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  '/apis/admissionregistration.k8s.io/v1': ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
  '/apis/apiextensions.k8s.io/v1': ['customresourcedefinitions', 'customresourcedefinitions/status'],
  '/apis/authentication.k8s.io/v1': ['tokenreviews', 'selfsubjectreviews'],
  '/apis/authorization.k8s.io/v1': [
    'subjectaccessreviews',
    'selfsubjectaccessreviews',
    'localsubjectaccessreviews',
    'selfsubjectrulesreviews',
  ],
};

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function named(list: Json | undefined, isWanted: (name: string) => boolean, key = 'name'): Json[] {
  return ((list ?? []) as JsonObject[]).filter((each) => isWanted(String(each[key])));
}

function groupItems(answer: ApiAnswer, names: readonly string[]): Json {
  const items = (answer.at('items') ?? []) as JsonObject[];
  const wanted = items.filter((item) => names.includes(String((item.metadata as JsonObject).name ?? '')));
  return { kind: answer.at('kind') ?? null, apiVersion: answer.at('apiVersion') ?? null, items: wanted };
}

/** Discovery in both forms, versions and the health endpoints. */
export const discovery = topic('discovery', {
  'old-form': async (t) => {
    await t.get('/api', { show: (answer) => ({ ...answer.object, serverAddressByClientCIDRs: '<addresses>' }) });
    await t.get('/apis', {
      show: (answer) => ({
        ...answer.object,
        groups: named(answer.at('groups'), (name) => servedGroups.includes(name)),
      }),
    });
    await t.get('/apis/batch');
    await t.get('/apis/batch/');
    await t.get('/apis/apiextensions.k8s.io');
  },
  'resources-of-built-ins': async (t) => {
    for (const [path, names] of Object.entries(servedResources)) {
      await t.get(path, {
        show: (answer) => ({
          ...answer.object,
          resources: named(answer.at('resources'), (name) => names.includes(name)),
        }),
      });
    }
  },
  'old-form-of-widgets': async (t) => {
    const categories = {
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
        categories: ['all'],
      },
    };
    await t.crd(
      widgetCrd(
        t,
        [
          widgetVersion('v1beta1', { storage: false }),
          widgetVersion('v1'),
          widgetVersion('v2alpha1', { storage: false }),
        ],
        categories,
      ),
    );
    await t.until(`/apis/${t.group}`, (answer) => answer.code === 200);
    await t.until(`/apis/${t.group}/v1`, (answer) => answer.code === 200);
    await t.get(`/apis/${t.group}/v1beta1`);
    await t.get(`/apis/${t.group}/v9`);
    await t.get('/apis', { show: (answer) => named(answer.at('groups'), (name) => name === t.group) });
  },
  'aggregated-form': async (t) => {
    await t.crd(widgetCrd(t));
    const options = { headers: { accept: `${aggregated},application/json` } };
    await t.until(
      '/apis',
      (answer) => JSON.stringify(groupItems(answer, [t.group])).includes('"subresource":"scale"'),
      {
        ...options,
        show: (answer) => groupItems(answer, [t.group]),
      },
    );
    await t.get('/apis', {
      ...options,
      show: (answer) => groupItems(answer, ['coordination.k8s.io', 'rbac.authorization.k8s.io']),
    });
    const beta = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
    await t.get('/apis', { headers: { accept: beta }, show: (answer) => groupItems(answer, [t.group]) });
    await t.get('/api', {
      ...options,
      show: (answer) => {
        const versions = (answer.at('items.0.versions') ?? []) as JsonObject[];
        return {
          ...(groupItems(answer, []) as JsonObject),
          resources: named(
            versions[0]?.resources,
            (name) => ['configmaps', 'pods', 'namespaces'].includes(name),
            'resource',
          ).map((each) => ({ ...(each as JsonObject), subresources: '<not compared>' })),
        };
      },
    });
  },
  version: async (t) => {
    await t.get('/version', {
      show: (answer) => [Object.keys(answer.object).sort(), answer.at('major') ?? null, answer.at('minor') ?? null],
    });
    await t.get('/version/', { show: (answer) => answer.at('major') });
  },
  health: async (t) => {
    for (const path of [
      '/healthz',
      '/readyz',
      '/livez',
      '/healthz/ping',
      '/readyz/ping',
      '/livez/ping',
      '/healthz/nothing',
    ]) {
      await t.get(path);
    }
    await t.get('/readyz?verbose', {
      show: (answer) => answer.text.split('\n').filter((line) => line.startsWith('[+]ping') || line.endsWith('passed')),
    });
    await t.get('/livez?exclude=ping&verbose', {
      show: (answer) => answer.text.split('\n').filter((line) => line.includes('ping')),
    });
  },
  metrics: async (t) => {
    const wanted = [
      'apiserver_request_total',
      'apiserver_request_duration_seconds',
      'process_resident_memory_bytes',
      'apiserver_longrunning_requests',
    ];
    await t.get('/metrics', {
      show: (answer) =>
        answer.text.split('\n').filter((line) => wanted.some((name) => line.startsWith(`# TYPE ${name} `))),
    });
  },
  'root-paths': async (t) => {
    await t.get('/', {
      show: (answer) => {
        const paths = (answer.at('paths') ?? []) as string[];
        return [
          '/api',
          '/api/v1',
          '/apis',
          '/healthz',
          '/livez',
          '/metrics',
          '/openapi/v2',
          '/openapi/v3',
          '/readyz',
          '/version',
        ].filter((path) => paths.includes(path));
      },
    });
    await t.get('/.well-known/openid-configuration', { show: (answer) => Object.keys(answer.object).sort() });
    await t.get('/openid/v1/jwks', { show: (answer) => Object.keys((answer.at('keys.0') ?? {}) as JsonObject).sort() });
  },
});
