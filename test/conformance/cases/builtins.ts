import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import { configMap, core, grouped, pod } from '../fixtures.ts';

const job = (spec: JsonObject = {}, container: JsonObject = {}): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'one' },
  spec: {
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1', ...container }] },
    },
    ...spec,
  },
});

/** Each built-in kind: created with its defaults, and refused when invalid. */
export const builtins = topic('builtins', {
  namespace: async (t) => {
    const path = '/api/v1/namespaces';
    const name = `${t.slug}-x`;
    await t.post(path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { a: 'b' } } });
    await t.patch(`${path}/${name}`, 'merge', { metadata: { labels: { 'kubernetes.io/metadata.name': 'forged' } } });
    await t.post(path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'Bad.Name' } });
    await t.post(path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x'.repeat(64) } });
    await t.delete(path);
    await t.delete(`${path}/${name}`, undefined, { quiet: true });
  },
  configmap: async (t) => {
    const post = (body: JsonObject) => t.post(core(t, 'configmaps'), body);
    await post({ ...configMap('one', { 'key.with-all_chars': 'x' }), binaryData: { bin: 'AAEC' } });
    await post({ ...configMap('two', { 'bad key': 'x' }) });
    await post({ ...configMap('three', { same: 'x' }), binaryData: { same: 'AAEC' } });
    await post({ ...configMap('four'), binaryData: { bin: 'not base64!' } });
    await post({ ...configMap('fixed', { a: '1' }), immutable: true });
    await t.patch(core(t, 'configmaps', 'fixed'), 'merge', { data: { a: '2' } });
    await t.patch(core(t, 'configmaps', 'fixed'), 'merge', { immutable: false });
    await t.patch(core(t, 'configmaps', 'fixed'), 'merge', { metadata: { labels: { still: 'fine' } } });
  },
  secret: async (t) => {
    const post = (name: string, body: JsonObject) =>
      t.post(core(t, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...body });
    await post('opaque', { stringData: { a: 'x' }, data: { b: 'eQ==', a: 'eg==' } });
    await post('tls', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } });
    await post('tls', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } });
    await post('basic', { type: 'kubernetes.io/basic-auth', data: { other: 'eA==' } });
    await post('ssh', { type: 'kubernetes.io/ssh-auth' });
    await post('docker', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'bm90IGpzb24=' } });
    await post('own', { type: 'example.com/mine', data: { 'bad key': 'eA==' } });
    await t.patch(core(t, 'secrets', 'opaque'), 'merge', { type: 'example.com/other' });
    await t.patch(core(t, 'secrets', 'opaque'), 'merge', { immutable: true });
    await t.patch(core(t, 'secrets', 'opaque'), 'merge', { data: { a: 'eA==' } });
  },
  serviceaccount: async (t) => {
    const post = (name: string, body: JsonObject) =>
      t.post(core(t, 'serviceaccounts'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name }, ...body });
    await post('one', {
      secrets: [{ name: 'x' }],
      imagePullSecrets: [{ name: 'y' }],
      automountServiceAccountToken: false,
    });
    await post('Bad_Name', {});
  },
  node: async (t) => {
    const post = (name: string, body: JsonObject) =>
      t.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name }, ...body });
    await post(t.slug, { spec: { podCIDR: '10.1.0.0/24', taints: [{ key: 'a', effect: 'NoSchedule' }] } });
    await post(`${t.slug}-bad`, { spec: { taints: [{ key: 'a', effect: 'Sometimes' }] } });
    const status = { capacity: { cpu: '4', memory: '8Gi' }, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] };
    await t.patch(`/api/v1/nodes/${t.slug}/status`, 'merge', { status });
    await t.patch(`/api/v1/nodes/${t.slug}`, 'merge', { spec: { unschedulable: true } });
    await t.patch(`/api/v1/nodes/${t.slug}`, 'merge', { spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] } });
    await t.delete(`/api/v1/nodes/${t.slug}`);
  },
  pod: async (t) => {
    await t.post(core(t, 'pods'), pod('one'));
    const container = {
      name: 'main',
      image: 'example.com/app',
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      resources: { limits: { cpu: '1', memory: '1Gi' } },
      livenessProbe: { httpGet: { path: '/', port: 80 } },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    };
    const volumes = [
      { name: 'data', emptyDir: {} },
      { name: 'cm', configMap: { name: 'x' } },
      { name: 's', secret: { secretName: 'y' } },
    ];
    await t.post(
      core(t, 'pods'),
      pod(
        'two',
        {},
        { containers: [container], initContainers: [{ name: 'init', image: 'example.com/init:latest' }], volumes },
      ),
    );
  },
  'invalid-pods': async (t) => {
    const post = (spec: JsonObject) => t.post(core(t, 'pods'), pod('bad', {}, spec));
    await post({ containers: [] });
    await post({ containers: [{ name: 'Bad_Name', image: 'x' }] });
    await post({ containers: [{ name: 'a' }] });
    await post({
      containers: [
        { name: 'a', image: 'x' },
        { name: 'a', image: 'y' },
      ],
    });
    await post({ restartPolicy: 'Sometimes' });
    await post({ containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 70_000 }] }] });
    await post({ containers: [{ name: 'a', image: 'x', volumeMounts: [{ name: 'none', mountPath: '/x' }] }] });
    await post({
      containers: [{ name: 'a', image: 'x', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }],
    });
  },
  'pod-update-rules': async (t) => {
    await t.post(core(t, 'pods'), pod('one'), { quiet: true });
    await t.patch(core(t, 'pods', 'one'), 'strategic', {
      spec: { containers: [{ name: 'main', image: 'example.com/app:2' }] },
    });
    await t.patch(core(t, 'pods', 'one'), 'merge', { spec: { activeDeadlineSeconds: 30 } });
    await t.patch(core(t, 'pods', 'one'), 'merge', { metadata: { labels: { a: 'b' } } });
    await t.patch(
      core(t, 'pods', 'one'),
      'merge',
      { spec: { nodeName: 'n1' } },
      {
        show: (answer) => [
          answer.at('reason') ?? null,
          answer.str('message').slice(0, 120),
          answer.at('details.causes.0.field') ?? null,
        ],
      },
    );
  },
  job: async (t) => {
    const path = grouped(t, 'batch/v1', 'jobs');
    const mask = (text: string, uid: string) => t.alias(text, uid);
    const made = await t.post(path, job({ backoffLimit: 2, completions: 1, ttlSecondsAfterFinished: 60 }));
    mask(made.str('metadata.uid'), 'job uid');
    await t.patch(grouped(t, 'batch/v1', 'jobs', 'one'), 'merge', { spec: { suspend: true, parallelism: 2 } });
    await t.patch(grouped(t, 'batch/v1', 'jobs', 'one'), 'merge', { spec: { completions: 5 } });
    await t.delete(grouped(t, 'batch/v1', 'jobs', 'one'));
    await t.post(
      path,
      job({ template: { spec: { restartPolicy: 'Always', containers: [{ name: 'a', image: 'x' }] } } }),
    );
    await t.post(path, job({ backoffLimit: -1 }));
    await t.post(path, job({ completionMode: 'Randomly' }));
    await t.post(path, { ...job(), spec: {} });
  },
  'pod-disruption-budget': async (t) => {
    const path = grouped(t, 'policy/v1', 'poddisruptionbudgets');
    const selector = { matchLabels: { a: 'b' } };
    const post = (name: string, spec: JsonObject) =>
      t.post(path, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec });
    await post('one', { minAvailable: 1, selector });
    await post('two', { maxUnavailable: '30%', selector });
    await post('three', { minAvailable: 1, maxUnavailable: 1, selector });
    await post('four', { minAvailable: '130%', selector });
    await post('five', { minAvailable: -1, selector });
    await post('six', { minAvailable: 1, selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } });
  },
  lease: async (t) => {
    const path = grouped(t, 'coordination.k8s.io/v1', 'leases');
    const post = (name: string, spec: JsonObject) =>
      t.post(path, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec });
    const times = { acquireTime: '2020-01-01T00:00:00.000000Z', renewTime: '2020-01-01T00:00:01.500000Z' };
    await post('one', { holderIdentity: 'me', leaseDurationSeconds: 15, leaseTransitions: 2, ...times });
    await post('two', { leaseDurationSeconds: 0 });
    await post('three', { leaseTransitions: -1 });
    await post('four', { renewTime: '2020-01-01T00:00:00Z' });
    await post('five', { renewTime: 'now' });
    const lease = await t.get(`${path}/one`);
    await t.put(`${path}/one`, { ...lease.object, spec: { holderIdentity: 'you', leaseDurationSeconds: 15 } });
    await t.put(`${path}/one`, { ...lease.object, spec: { holderIdentity: 'third', leaseDurationSeconds: 15 } });
  },
  events: async (t) => {
    const involvedObject = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: t.ns };
    const base = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'one' }, involvedObject };
    const times = { firstTimestamp: '2020-01-01T00:00:00Z', lastTimestamp: '2020-01-01T00:00:00Z' };
    await t.post(core(t, 'events'), {
      ...base,
      reason: 'Tested',
      message: 'fine',
      type: 'Normal',
      count: 1,
      ...times,
      source: { component: 'c' },
    });
    await t.get(grouped(t, 'events.k8s.io/v1', 'events', 'one'));
    await t.patch(core(t, 'events', 'one'), 'merge', { count: 2 });
    await t.post(core(t, 'events'), {
      ...base,
      metadata: { name: 'two' },
      involvedObject: { ...involvedObject, namespace: 'elsewhere' },
    });
    const modern = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'three' },
      regarding: involvedObject,
      eventTime: '2020-01-01T00:00:00.000000Z',
      reportingController: 'example.com/tester',
      reportingInstance: 'tester-1',
      action: 'Testing',
      reason: 'Tested',
      note: 'fine too',
      type: 'Normal',
    };
    await t.post(grouped(t, 'events.k8s.io/v1', 'events'), modern);
    await t.get(core(t, 'events', 'three'));
    await t.post(grouped(t, 'events.k8s.io/v1', 'events'), { ...modern, metadata: { name: 'four' }, eventTime: null });
    await t.post(grouped(t, 'events.k8s.io/v1', 'events'), {
      ...modern,
      metadata: { name: 'five' },
      type: 'Odd',
      action: '',
    });
    await t.post(core(t, 'events'), { ...base, metadata: { name: 'One_of.Mine' } });
    await t.post(core(t, 'events'), { ...base, metadata: { name: 'one%two' } });
    await t.post(
      core(t, 'events'),
      { ...base, metadata: { generateName: 'Registered-' } },
      { show: (answer) => answer.at('metadata.generateName') },
    );
    await t.post(grouped(t, 'events.k8s.io/v1', 'events'), { ...modern, metadata: { name: 'Six' } });
    await t.get(`${core(t, 'events')}?fieldSelector=reason%3DTested,type%3DNormal`, {
      show: (answer) => answer.at('items.length'),
    });
  },
  'cluster-roles': async (t) => {
    const path = '/apis/rbac.authorization.k8s.io/v1';
    const rules = [
      { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ];
    const metadata = { name: t.slug };
    await t.post(`${path}/clusterroles`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules,
    });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: t.slug };
    const subjects = [
      { kind: 'User', name: 'someone' },
      { kind: 'Group', name: 'all' },
    ];
    await t.post(`${path}/clusterrolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef,
      subjects,
    });
    await t.delete(`${path}/clusterrolebindings/${t.slug}`);
    await t.delete(`${path}/clusterroles/${t.slug}`);
  },
});
