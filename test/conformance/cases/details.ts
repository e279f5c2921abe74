import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, grouped, pod, widget, widgetCrd, widgets, widgetVersion } from '../fixtures.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const rbac = 'rbac.authorization.k8s.io/v1';

async function postPods(t: CaseRun, specs: JsonObject[]): Promise<void> {
  for (const [index, spec] of specs.entries()) await t.post(core(t, 'pods'), pod(`p${index}`, {}, spec));
}

const container = (extra: JsonObject): JsonObject => ({
  containers: [{ name: 'a', image: 'example.com/a:1', ...extra }],
});

/** What built-in kinds do with rarer fields, odd values and second writes. */
export const builtInDetails = topic('details', {
  'zero-and-empty-values': async (t) => {
    await postPods(t, [
      {
        hostNetwork: false,
        hostPID: false,
        nodeName: '',
        nodeSelector: {},
        tolerations: [],
        activeDeadlineSeconds: null,
        automountServiceAccountToken: false,
        hostAliases: [],
        ...container({
          command: [],
          args: null,
          stdin: false,
          tty: true,
          env: [{ name: 'A', value: '' }],
          resources: { limits: {}, requests: null },
          volumeMounts: [],
          workingDir: '',
        }),
      },
    ]);
    await t.post(core(t, 'configmaps'), { ...configMap('nulls'), data: { a: null, b: '' }, binaryData: {} });
    await t.post(core(t, 'serviceaccounts'), {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'x', labels: {}, annotations: null, finalizers: [] },
      secrets: [],
    });
  },
  quantities: async (t) => {
    const limits = { cpu: '1000m', memory: '1024Mi', 'ephemeral-storage': '1e3', 'example.com/gpu': 2 };
    const requests = { cpu: 0.5, memory: '0.5Gi', 'ephemeral-storage': '1000', 'example.com/gpu': '2' };
    await postPods(t, [
      container({ resources: { limits, requests } }),
      container({ resources: { limits: { cpu: '0.0001', memory: '1500' } } }),
      container({ resources: { requests: { cpu: '-1' } } }),
      container({ resources: { limits: { gpu: '1' } } }),
      container({ resources: { requests: { 'example.com/gpu': '1' } } }),
      container({ resources: { limits: { 'example.com/gpu': '1.5' } } }),
      container({ resources: { limits: { 'hugepages-2Mi': '2Mi' } } }),
    ]);
  },
  'pod-defaults': async (t) => {
    await postPods(t, [
      {
        hostNetwork: true,
        ...container({
          ports: [{ containerPort: 8080 }, { containerPort: 53, protocol: 'UDP', name: 'dns' }],
          readinessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 0 },
          startupProbe: { grpc: { port: 9000 } },
          livenessProbe: { httpGet: { port: 'dns' }, periodSeconds: 3 },
          lifecycle: { preStop: { httpGet: { port: 80 } }, postStart: { exec: { command: ['x'] } } },
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
          envFrom: [{ configMapRef: { name: 'c' } }],
        }),
      },
      {
        serviceAccountName: 'robot',
        restartPolicy: 'OnFailure',
        terminationGracePeriodSeconds: 0,
        volumes: [
          { name: 'none' },
          { name: 'host', hostPath: { path: '/x' } },
          { name: 'down', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          { name: 'all', projected: { sources: [{ serviceAccountToken: { path: 't' } }, { secret: { name: 's' } }] } },
          { name: 'claim', persistentVolumeClaim: { claimName: 'c' } },
        ],
        containers: [
          { name: 'a', image: 'example.com:5000/a' },
          { name: 'b', image: 'b@sha256:0000000000000000000000000000000000000000000000000000000000000000' },
          { name: 'c', image: 'c:latest', resources: { limits: { cpu: '1', memory: '1Gi' } } },
        ],
      },
    ]);
  },
  'more-invalid-pods': async (t) => {
    await postPods(t, [
      container({ imagePullPolicy: 'Sometimes' }),
      container({ terminationMessagePolicy: 'Other' }),
      container({ ports: [{ containerPort: 80, name: 'Too_Long_Name_For_A_Port' }] }),
      container({ ports: [{ containerPort: 80, protocol: 'ICMP' }, { name: 'x' }] }),
      container({ env: [{ name: '' }, { name: 'a=b' }, { name: 'C', valueFrom: {} }] }),
      container({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      container({ livenessProbe: {} }),
      container({ livenessProbe: { exec: {}, successThreshold: 2 } }),
      container({ readinessProbe: { httpGet: { port: 0, scheme: 'FTP' }, timeoutSeconds: -1 } }),
      container({ lifecycle: { preStop: {} } }),
      { dnsPolicy: 'Mine' },
      { nodeSelector: { 'bad key': 'x' } },
      { activeDeadlineSeconds: 0 },
      { hostname: 'Bad_Name' },
      { serviceAccountName: 'Bad_Name', nodeName: 'Bad_Name' },
      { tolerations: [{ operator: 'Equal' }, { key: 'a', operator: 'Near' }, { key: 'b', effect: 'Sometimes' }] },
      {
        tolerations: [
          { key: 'a', tolerationSeconds: 3 },
          { key: 'c', operator: 'Exists', value: 'x' },
        ],
      },
      { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] },
      { volumes: [{ name: 'v' }, { name: 'v' }, { name: 'Bad' }] },
      {
        volumes: [
          { name: 's', secret: {} },
          { name: 'c', configMap: { name: 'x', defaultMode: 9999 } },
        ],
      },
      {
        volumes: [
          { name: 'h', hostPath: { path: '../x' } },
          { name: 'p', persistentVolumeClaim: {} },
        ],
      },
      { initContainers: [{ name: 'main', image: 'x' }] },
      { initContainers: [{ name: 'i', image: 'x', livenessProbe: { exec: { command: ['x'] } } }] },
    ]);
  },
  'pod-updates': async (t) => {
    await t.post(core(t, 'pods'), pod('one', {}, { activeDeadlineSeconds: 30 }), { quiet: true });
    const path = core(t, 'pods', 'one');
    const head = (text: string) => text.split('\n')[0] ?? '';
    const show = {
      show: (answer: { code: number; str(path: string): string }) => [answer.code, head(answer.str('message'))],
    };
    await t.patch(path, 'merge', { spec: { activeDeadlineSeconds: 60 } }, show);
    await t.patch(path, 'merge', { spec: { activeDeadlineSeconds: null } }, show);
    await t.patch(path, 'merge', { spec: { activeDeadlineSeconds: 10 } }, show);
    await t.patch(path, 'strategic', { spec: { containers: [{ name: 'new', image: 'x' }] } }, show);
    await t.patch(path, 'merge', { spec: { tolerations: [] } });
    await t.patch(path, 'merge', { spec: { terminationGracePeriodSeconds: 1 } }, show);
    await t.patch(path, 'merge', { spec: { restartPolicy: 'Never' } }, show);
    await t.patch(`${path}/status`, 'merge', { status: { qosClass: 'Guaranteed' } });
    await t.patch(`${path}/status`, 'merge', { status: { conditions: [{ type: 'Bad Type', status: 'True' }] } });
    await t.patch(`${path}/status`, 'merge', { status: { phase: 'Running' }, metadata: { labels: { a: 'b' } } });
  },
  binding: async (t) => {
    await t.post(core(t, 'pods'), pod('one'), { quiet: true });
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'one' } };
    const path = `${core(t, 'pods', 'one')}/binding`;
    await t.post(path, { ...body, target: { kind: 'Server', name: '' } });
    await t.post(path, { ...body, target: { apiVersion: 'v1', kind: 'Node', name: 'n1' } });
    await t.get(core(t, 'pods', 'one'));
    await t.post(path, { ...body, target: { apiVersion: 'v1', kind: 'Node', name: 'n2' } });
    await t.post(`${core(t, 'pods', 'missing')}/binding`, {
      ...body,
      metadata: { name: 'missing' },
      target: { name: 'n' },
    });
  },
  'evictions-without-budget': async (t) => {
    await t.post(core(t, 'pods'), pod('one', {}, { nodeName: 'n1' }), { quiet: true });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'one' } };
    const path = `${core(t, 'pods', 'one')}/eviction`;
    await t.post(path, { ...eviction, metadata: { name: 'two' } });
    await t.post(path, { ...eviction, deleteOptions: { preconditions: { uid: 'other' } } });
    await t.patch(`${core(t, 'pods', 'one')}/status`, 'merge', { status: { phase: 'Running' } }, { quiet: true });
    await t.post(path, { ...eviction, deleteOptions: { gracePeriodSeconds: 7 } });
    await t.get(core(t, 'pods', 'one'));
    await t.get(path);
    await t.delete(`${core(t, 'pods', 'one')}?gracePeriodSeconds=0`);
  },
  jobs: async (t) => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1' }] } };
    const post = async (name: string, spec: JsonObject, metadata: JsonObject = {}) => {
      const body = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, ...metadata },
        spec: { template, ...spec },
      };
      const made = await t.post(grouped(t, 'batch/v1', 'jobs'), body);
      if (made.code === 201) t.alias(made.str('metadata.uid'), `uid of job ${name}`);
    };
    await post('indexed', { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 1 });
    await post('labelled', { template: { ...template, metadata: { labels: { app: 'x' } } } });
    await post('manual', {
      manualSelector: true,
      selector: { matchLabels: { app: 'y' } },
      template: { ...template, metadata: { labels: { app: 'y' } } },
    });
    await post('unmatched', { manualSelector: true, selector: { matchLabels: { app: 'y' } } });
    await post('bad', {
      completionMode: 'Indexed',
      podReplacementPolicy: 'Never',
      parallelism: -1,
      maxFailedIndexes: 1,
    });
    await t.patch(
      grouped(t, 'batch/v1', 'jobs', 'labelled'),
      'merge',
      {
        spec: { template: { metadata: { labels: { app: 'z' } } } },
      },
      { show: (answer) => [answer.code, answer.at('details.causes.0.field') ?? null, answer.at('reason') ?? null] },
    );
    const status = `${grouped(t, 'batch/v1', 'jobs', 'labelled')}/status`;
    await t.patch(status, 'merge', { status: { startTime: '2020-01-01T00:00:00Z', succeeded: 1, active: 1 } });
    await t.patch(status, 'merge', { status: { succeeded: 0, startTime: null } });
    await t.patch(status, 'merge', { status: { completionTime: '2020-01-01T00:01:00Z' } });
  },
  budgets: async (t) => {
    const path = grouped(t, 'policy/v1', 'poddisruptionbudgets');
    const make = (name: string, spec: JsonObject) => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec,
    });
    const made = await t.post(path, make('one', { minAvailable: '50%', selector: {} }));
    await t.put(`${path}/one`, make('one', { minAvailable: 2, selector: {} }));
    await t.put(`${path}/one`, {
      ...made.object,
      spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    });
    await t.post(path, make('two', { minAvailable: 'half', unhealthyPodEvictionPolicy: 'Maybe' }));
    const matchExpressions = [
      { key: 'a', operator: 'In' },
      { key: 'b', operator: 'Exists', values: ['x'] },
    ];
    await t.post(path, make('three', { selector: { matchExpressions, matchLabels: { 'bad key': 'bad value' } } }));
    await t.patch(`${path}/one/status`, 'merge', { status: { disruptionsAllowed: -1, expectedPods: 3 } });
  },
  'leases-by-put': async (t) => {
    const path = grouped(t, 'coordination.k8s.io/v1', 'leases');
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' }, spec: {} };
    await t.put(`${path}/one`, { ...lease, spec: { holderIdentity: '', preferredHolder: 'x' } });
    await t.put(`${path}/one`, { ...lease, spec: { holderIdentity: '', leaseTransitions: 0 } });
    await t.put(`${path}/one`, lease);
    await t.put(`${path}/two`, { ...lease, metadata: { name: 'two', resourceVersion: '5' } });
    const times = { acquireTime: '2020-01-01T02:00:00.123456+02:00', renewTime: '2020-01-01T00:00:01.500000Z' };
    await t.patch(`${path}/one`, 'merge', { spec: times });
  },
  'roles-and-bindings': async (t) => {
    const roles = `/apis/${rbac}/namespaces/${t.ns}/roles`;
    const bindings = `/apis/${rbac}/namespaces/${t.ns}/rolebindings`;
    const role = (name: string, rules: JsonObject[]) => ({ apiVersion: rbac, kind: 'Role', metadata: { name }, rules });
    await t.post(roles, role('with:colon', [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]));
    await t.post(roles, role('bad/name', []));
    await t.post(roles, role('bad', [{ verbs: [] }, { verbs: ['get'], nonResourceURLs: ['/x'], resources: ['pods'] }]));
    const binding = (name: string, extra: JsonObject) => ({
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'with:colon' },
      ...extra,
    });
    const subjects = [
      { kind: 'ServiceAccount', name: 'x' },
      { kind: 'User', name: 'u' },
    ];
    await t.post(bindings, binding('one', { subjects }));
    await t.post(
      bindings,
      binding('two', {
        subjects: [
          { kind: 'Robot', name: '' },
          { kind: 'User', name: 'u', apiGroup: 'x' },
        ],
      }),
    );
    await t.post(bindings, binding('three', { roleRef: { apiGroup: 'other', kind: 'Thing', name: '' } }));
    await t.patch(`${bindings}/one`, 'merge', { roleRef: { name: 'other' } });
    await t.put(`${bindings}/four`, binding('four', {}));
    await t.post(`/apis/${rbac}/clusterrolebindings`, {
      ...binding(t.slug, { subjects: [{ kind: 'ServiceAccount', name: 'x' }] }),
      kind: 'ClusterRoleBinding',
    });
  },
  'webhook-configurations': async (t) => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const hook = {
      name: 'check.example.com',
      clientConfig: { service: { name: 'nobody', namespace: 'default' } },
      rules: [{ operations: ['CREATE'], apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['things'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const configuration = (webhooks: JsonObject[]) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: t.slug },
      webhooks,
    });
    const refused = [
      [{ ...hook, name: 'short' }],
      [hook, hook],
      [{ ...hook, sideEffects: 'Some', failurePolicy: 'Maybe', matchPolicy: 'Maybe', timeoutSeconds: 31 }],
      [{ name: 'a.example.com' }],
      [
        {
          ...hook,
          rules: [{ operations: ['*', 'CREATE', 'MAKE'], apiGroups: ['*', 'a'], apiVersions: [''], resources: [] }],
        },
      ],
      [{ ...hook, rules: [{ ...hook.rules[0], resources: ['*/*', 'pods'], scope: 'Galaxy' }] }],
      [{ ...hook, clientConfig: { url: 'http://user@host/?q#f' } }],
      [{ ...hook, admissionReviewVersions: ['v2', 'v2'] }],
      [
        {
          ...hook,
          matchConditions: [
            { name: 'a', expression: 'request.nothing' },
            { name: 'a', expression: '1 + 1' },
            { name: 'bad name', expression: '' },
            { expression: 'object.metadata.name ==' },
          ],
        },
      ],
    ];
    for (const webhooks of refused) await t.post(path, configuration(webhooks as JsonObject[]));
    await t.post(path, configuration([hook]));
    await t.put(`${path}/${t.slug}`, configuration([]));
    await t.patch(`${path}/${t.slug}`, 'strategic', { webhooks: [{ name: 'check.example.com', timeoutSeconds: 3 }] });
    await t.get(path, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      show: (answer) => answer.at('columnDefinitions.1.name') ?? null,
    });
    await t.delete(`${path}/${t.slug}`);
  },
  nodes: async (t) => {
    const make = (name: string, spec: JsonObject) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec });
    const taint = { key: 'a', effect: 'NoSchedule' };
    await t.post('/api/v1/nodes', make(t.slug, { taints: [taint, taint], podCIDRs: ['10.0.0.0/24', '10.1.0.0/24'] }));
    await t.post('/api/v1/nodes', make(t.slug, { podCIDRs: ['10.0.0.0/24', 'fd00::/64'], providerID: 'a://b' }));
    await t.patch(`/api/v1/nodes/${t.slug}`, 'merge', { spec: { providerID: 'a://c' } });
    await t.patch(`/api/v1/nodes/${t.slug}`, 'merge', { status: { phase: 'Running' }, spec: { unschedulable: false } });
    const status = `/api/v1/nodes/${t.slug}/status`;
    await t.patch(status, 'merge', { status: { capacity: { cpu: '-1' } } });
    await t.patch(status, 'merge', {
      status: { images: [{ names: ['x'], sizeBytes: 0 }], nodeInfo: { kubeletVersion: 'v1' } },
    });
    await t.get(`/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse,metadata.name%3D${t.slug}`, {
      show: (answer) => answer.at('items.length') ?? null,
    });
    await t.delete(`/api/v1/nodes/${t.slug}`);
  },
  namespaces: async (t) => {
    const name = `${t.slug}-x`;
    const path = `/api/v1/namespaces/${name}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, finalizers: ['example.com/hold'] } };
    await t.post('/api/v1/namespaces', {
      ...body,
      spec: { finalizers: ['example.com/other'] },
      status: { phase: 'X' },
    });
    await t.patch(path, 'merge', { spec: { finalizers: [] }, status: { phase: 'Terminating' } });
    await t.patch(`${path}/status`, 'merge', { status: { conditions: [{ type: 'Mine', status: 'True' }] } });
    await t.delete(path, undefined, {
      show: (answer) => [answer.at('status.phase') ?? null, answer.at('spec') ?? null],
    });
    await t.delete(path, undefined, { quiet: true });
    const open = await t.until(path, (answer) => answer.text.includes('NamespaceContentRemaining'), { quiet: true });
    await t.settle(
      'the own finalizer is gone',
      async () => !(await t.get(path, { quiet: true })).text.includes('"kubernetes"'),
    );
    const held = await t.get(path, {
      show: (answer) => [answer.at('spec') ?? null, answer.at('metadata.finalizers') ?? null],
    });
    await t.put(`${path}/finalize`, { ...held.object, spec: { finalizers: [] } }, { quiet: true });
    t.note('was open', open.code);
    await t.patch(path, 'merge', { metadata: { finalizers: null } }, { quiet: true });
    await t.until(path, (answer) => answer.code === 404);
  },
  'secret-details': async (t) => {
    const post = (name: string, body: JsonObject) =>
      t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...body });
    await post('empty', { type: '', data: {}, stringData: {} });
    await post('token', { type: 'kubernetes.io/service-account-token' });
    await post('docker', { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 'e30=' } });
    await post('basic', { type: 'kubernetes.io/basic-auth', stringData: { username: 'x' } });
    await post('keys', { data: { '..': '', '...x': '', [`${'k'.repeat(254)}`]: '' } });
    await post('fixed', { immutable: true, data: { a: 'eA==' } });
    await t.patch(core(t, 'secrets', 'fixed'), 'merge', { stringData: { a: 'y' } });
    await t.put(core(t, 'secrets', 'basic'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'basic' },
      data: {},
    });
  },
  'definition-in-use': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', { subresources: {} })]));
    await t.post(widgets(t), { ...widget(t, 'one'), status: { phase: 'Set' } }, { quiet: true });
    const versions = [widgetVersion('v1')];
    await t.patch(`${crds}/widgets.${t.group}`, 'merge', { spec: { versions } }, { quiet: true });
    await t.until(`${widgets(t, 'one')}/status`, (answer) => answer.code === 200);
    await t.patch(widgets(t, 'one'), 'merge', { status: { phase: 'Ignored' } });
    const two = [widgetVersion('v1', { storage: false }), widgetVersion('v2')];
    await t.patch(
      `${crds}/widgets.${t.group}`,
      'merge',
      { spec: { versions: two } },
      {
        show: (answer) => [answer.at('status.storedVersions') ?? null, answer.at('metadata.generation') ?? null],
      },
    );
    await t.until(`/apis/${t.group}/v2/namespaces/${t.ns}/widgets/one`, (answer) => answer.code === 200);
    await t.patch(
      `${crds}/widgets.${t.group}`,
      'merge',
      { spec: { versions: [widgetVersion('v2')] } },
      {
        show: (answer) => answer.at('details.causes') ?? null,
      },
    );
    await t.patch(
      `${crds}/widgets.${t.group}/status`,
      'merge',
      { status: { storedVersions: ['v2'] } },
      {
        show: (answer) => [answer.code, answer.at('status.storedVersions') ?? answer.at('message') ?? null],
      },
    );
    await t.patch(
      `${crds}/widgets.${t.group}/status`,
      'merge',
      { status: { storedVersions: [] } },
      {
        show: (answer) => answer.at('details.causes') ?? null,
      },
    );
  },
  'definition-goes-last': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'held', {}, { finalizers: ['example.com/hold'] }), { quiet: true });
    await t.post(widgets(t), widget(t, 'free'), { quiet: true });
    await t.delete(`${crds}/widgets.${t.group}`, undefined, { quiet: true });
    await t.until(widgets(t, 'free'), (answer) => answer.code === 404, { show: (answer) => answer.code });
    await t.until(widgets(t, 'held'), (answer) => answer.at('metadata.deletionTimestamp') !== undefined);
    await t.post(widgets(t), widget(t, 'late'));
    await t.get(`${crds}/widgets.${t.group}`, {
      show: (answer) => [answer.at('metadata.finalizers') ?? null, answer.at('status.acceptedNames') ?? null],
    });
    await t.patch(widgets(t, 'held'), 'merge', { metadata: { finalizers: null } }, { quiet: true });
    await t.until(`${crds}/widgets.${t.group}`, (answer) => answer.code === 404, { show: (answer) => answer.code });
    await t.until(widgets(t), (answer) => answer.code === 404);
  },
  'owners-of-other-kinds': async (t) => {
    await t.crd(widgetCrd(t));
    const owner = await t.post(widgets(t), widget(t, 'owner'), { quiet: true });
    const reference = { apiVersion: `${t.group}/v1`, kind: 'Widget', name: 'owner', uid: owner.str('metadata.uid') };
    const owned = (name: string, extra: JsonObject = {}) =>
      configMap(name, {}, { ownerReferences: [{ ...reference, ...extra }] });
    await t.post(core(t, 'configmaps'), owned('child', { controller: true, blockOwnerDeletion: true }));
    await t.post(core(t, 'configmaps'), owned('twice', {}), { quiet: true });
    await t.post(core(t, 'configmaps'), owned('stranger', { apiVersion: 'nobody.example.com/v1' }), { quiet: true });
    await t.post(core(t, 'configmaps'), owned('misnamed', { name: 'other' }), { quiet: true });
    await t.until(core(t, 'configmaps', 'misnamed'), (answer) => answer.code === 404, {
      show: (answer) => answer.code,
    });
    await t.delete(`${widgets(t, 'owner')}?propagationPolicy=Foreground`);
    await t.until(widgets(t, 'owner'), (answer) => answer.code === 404);
    await t.until(core(t, 'configmaps', 'twice'), (answer) => answer.code === 404);
    await t.get(core(t, 'configmaps', 'stranger'));
  },
  'pods-placed': async (t) => {
    const term = (matchExpressions: JsonObject[]) => ({ nodeSelectorTerms: [{ matchExpressions }] });
    const nodeAffinity = (required: JsonObject) => ({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    });
    const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
    const labelSelector = { matchLabels: { a: 'b' } };
    const podTerm = { labelSelector, topologyKey: 'zone' };
    await postPods(t, [
      nodeAffinity(term([{ key: 'a', operator: 'In', values: ['b'] }])),
      nodeAffinity(term([{ key: 'a', operator: 'Gt', values: ['x'] }])),
      nodeAffinity(term([{ key: 'a', operator: 'Near' }])),
      nodeAffinity({ nodeSelectorTerms: [] }),
      { topologySpreadConstraints: [{ ...spread, labelSelector }] },
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Never' }, spread, spread] },
      { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [podTerm] } } },
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector }] } } },
      {
        affinity: {
          podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 200, podAffinityTerm: podTerm }] },
        },
      },
      { schedulingGates: [{ name: 'example.com/wait' }] },
      { schedulingGates: [{ name: 'bad name' }, { name: 'a' }, { name: 'a' }] },
      { readinessGates: [{ conditionType: 'example.com/ready' }, { conditionType: 'bad type' }] },
      { priorityClassName: 'Bad_Name', preemptionPolicy: 'Maybe' },
      { runtimeClassName: 'Bad_Name', schedulerName: 'mine' },
    ]);
  },
  'pods-in-detail': async (t) => {
    await postPods(t, [
      { hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example.com'] }] },
      { hostAliases: [{ ip: 'here', hostnames: ['Bad_Name'] }] },
      {
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['10.0.0.2'], searches: ['x'], options: [{ name: 'n', value: '' }] },
      },
      { dnsPolicy: 'None' },
      {
        securityContext: {
          runAsUser: 1000,
          runAsNonRoot: true,
          fsGroup: 0,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
      {
        securityContext: {
          runAsUser: -1,
          seccompProfile: { type: 'Sometimes' },
          sysctls: [{ name: 'bad name', value: '' }],
        },
      },
      container({ securityContext: { privileged: false, capabilities: { add: ['NET_ADMIN'], drop: [] } } }),
      container({ volumeDevices: [{ name: 'x', devicePath: '/dev/x' }] }),
      container({ envFrom: [{ prefix: 'A_', secretRef: { name: 's' } }, {}, { configMapRef: { name: '' } }] }),
      { imagePullSecrets: [{ name: 'x' }, { name: '' }] },
      { terminationGracePeriodSeconds: -5 },
      container({ env: [{ name: 'A' }, { name: 'A' }], resources: { limits: { memory: '100m' } } }),
      { overhead: { cpu: '1' } },
      { os: { name: 'linux' }, shareProcessNamespace: true, setHostnameAsFQDN: true, enableServiceLinks: false },
      { os: { name: 'plan9' } },
      { restartPolicy: 'Always', initContainers: [{ name: 'side', image: 'x', restartPolicy: 'Always' }] },
      { initContainers: [{ name: 'side', image: 'x', restartPolicy: 'Never' }] },
      { ephemeralContainers: [{ name: 'debug', image: 'x' }] },
    ]);
  },
  'second-writes': async (t) => {
    const made = await t.post(core(t, 'pods'), pod('one', { labels: { a: 'b' } }), { quiet: true });
    await t.put(core(t, 'pods', 'one'), { ...made.object, status: { phase: 'Failed' } });
    await t.put(`${core(t, 'pods', 'one')}/status`, { ...made.object, spec: {}, status: { phase: 'Succeeded' } });
    await t.get(`${core(t, 'pods')}?includeObject=None`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      show: (answer) => answer.at('rows') ?? null,
    });
    await t.delete(core(t, 'pods'), undefined, { show: (answer) => answer.at('items.length') ?? null });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    await t.post(core(t, 'serviceaccounts'), account, { quiet: true });
    await t.patch(core(t, 'serviceaccounts', 'robot'), 'strategic', { imagePullSecrets: [{ name: 'a' }] });
    await t.patch(core(t, 'serviceaccounts', 'robot'), 'strategic', { imagePullSecrets: [{ name: 'b' }] });
    await t.delete(core(t, 'serviceaccounts', 'robot'));
    await t.patch(`${core(t, 'configmaps', 'gone')}?fieldManager=a`, 'apply', configMap('gone', { x: '1' }), {
      quiet: true,
    });
    await t.delete(core(t, 'configmaps', 'gone'), { gracePeriodSeconds: 30, propagationPolicy: 'Foreground' });
  },
  'applied-built-ins': async (t) => {
    const template = {
      metadata: { labels: { app: 'x' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1' }] },
    };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'one' }, spec: { template } };
    const made = await t.patch(`${grouped(t, 'batch/v1', 'jobs', 'one')}?fieldManager=a`, 'apply', job);
    t.alias(made.str('metadata.uid'), 'uid of the job');
    await t.patch(`${grouped(t, 'batch/v1', 'jobs', 'one')}?fieldManager=a`, 'apply', {
      ...job,
      spec: { ...job.spec, suspend: true },
    });
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: t.slug } };
    await t.patch(`/api/v1/nodes/${t.slug}?fieldManager=a`, 'apply', {
      ...node,
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
    });
    await t.patch(`/api/v1/nodes/${t.slug}/status?fieldManager=b`, 'apply', {
      ...node,
      status: { capacity: { cpu: '2000m' }, conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await t.patch(`/api/v1/nodes/${t.slug}/status?fieldManager=c`, 'apply', {
      ...node,
      status: { capacity: { cpu: '3' }, conditions: [{ type: 'Ready', status: 'False' }] },
    });
    await t.delete(`/api/v1/nodes/${t.slug}`, undefined, { quiet: true });
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'one' },
      regarding: { kind: 'ConfigMap', namespace: t.ns, name: 'x' },
      eventTime: '2020-01-01T00:00:00.000000Z',
      reportingController: 'example.com/tester',
      reportingInstance: 'i',
      action: 'Testing',
      reason: 'Tested',
      type: 'Normal',
    };
    const path = grouped(t, 'events.k8s.io/v1', 'events', 'one');
    await t.patch(`${path}?fieldManager=a`, 'apply', event);
    const series = { count: 2, lastObservedTime: '2020-01-01T00:01:00.000000Z' };
    await t.patch(path, 'merge', { series });
    await t.patch(path, 'merge', { series: { count: 1 } });
    await t.patch(path, 'merge', { reason: 'Other', note: 'new' });
    await t.patch(core(t, 'events', 'one'), 'strategic', { message: 'from the core' });
    await t.get(path);
    await t.get(grouped(t, 'events.k8s.io/v1', 'events', 'missing'));
    await t.get(`${grouped(t, 'events.k8s.io/v1', 'events')}?fieldSelector=regarding.name%3Dx,reason%3DTested`, {
      show: (answer) => answer.at('items.length') ?? null,
    });
    await t.get(`${grouped(t, 'events.k8s.io/v1', 'events')}?fieldSelector=involvedObject.name%3Dx`);
  },
});
