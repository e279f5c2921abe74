import { topic } from '../case.ts';
import { core, grouped, pod, widget, widgetCrd, widgets, widgetVersion } from '../fixtures.ts';

/** Status, scale and the other subresources. */
export const subresources = topic('subresources', {
  'status-of-widget': async (t) => {
    await t.crd(widgetCrd(t));
    const made = await t.post(widgets(t), { ...widget(t, 'one', { size: 2 }), status: { phase: 'Ignored' } });
    const status = `${widgets(t, 'one')}/status`;
    await t.get(status);
    await t.put(status, { ...made.object, spec: { size: 99 }, status: { phase: 'Ready' } });
    await t.patch(widgets(t, 'one'), 'merge', { status: { phase: 'Ignored' }, spec: { size: 3 } });
    await t.patch(status, 'merge', { status: { phase: 'Done' }, metadata: { labels: { a: 'b' } } });
    await t.patch(status, 'json', [{ op: 'replace', path: '/status/phase', value: 5 }]);
    await t.delete(status);
    await t.post(status, made.object);
    await t.get(`${widgets(t, 'missing')}/status`);
  },
  'status-disabled': async (t) => {
    await t.crd(widgetCrd(t, [widgetVersion('v1', { subresources: {} })]));
    const made = await t.post(widgets(t), { ...widget(t, 'one'), status: { phase: 'Kept' } });
    await t.get(`${widgets(t, 'one')}/status`);
    await t.put(`${widgets(t, 'one')}/status`, made.object);
    await t.get(`${widgets(t, 'one')}/scale`);
    await t.patch(widgets(t, 'one'), 'merge', { status: { phase: 'Changed' } });
  },
  'scale-of-widget': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one', { replicas: 2 }));
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status: { replicas: 1, selector: 'a=b' } });
    const scale = await t.get(`${widgets(t, 'one')}/scale`);
    await t.put(`${widgets(t, 'one')}/scale`, { ...scale.object, spec: { replicas: 5 } });
    await t.put(`${widgets(t, 'one')}/scale`, { ...scale.object, spec: { replicas: 6 } });
    await t.patch(`${widgets(t, 'one')}/scale`, 'merge', { spec: { replicas: 7 } });
    await t.patch(`${widgets(t, 'one')}/scale`, 'merge', { spec: { replicas: -1 } });
    await t.get(widgets(t, 'one'));
    await t.post(widgets(t), widget(t, 'without', {}), { quiet: true });
    await t.get(`${widgets(t, 'without')}/scale`);
    await t.get(`${widgets(t, 'missing')}/scale`);
  },
  'unknown-subresource': async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    await t.get(`${widgets(t, 'one')}/color`);
    await t.get(`${core(t, 'configmaps', 'kube-root-ca.crt')}/status`);
  },
  'pod-status': async (t) => {
    await t.post(core(t, 'pods'), pod('one'), { quiet: true });
    const status = { phase: 'Running', podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] };
    await t.patch(`${core(t, 'pods', 'one')}/status`, 'merge', { status, spec: { nodeName: 'ignored' } });
    await t.patch(core(t, 'pods', 'one'), 'merge', { status: { phase: 'Failed' } });
    await t.patch(`${core(t, 'pods', 'one')}/status`, 'strategic', {
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  },
  'job-status': async (t) => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/job:1' }] } };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'one' }, spec: { template } };
    await t.post(grouped(t, 'batch/v1', 'jobs'), job, { quiet: true });
    const path = `${grouped(t, 'batch/v1', 'jobs', 'one')}/status`;
    await t.patch(path, 'merge', { status: { active: 1, startTime: '2024-05-01T10:00:00Z' } });
    await t.get(path);
    await t.patch(path, 'merge', { status: { succeeded: -1 } });
  },
  eviction: async (t) => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'one', namespace: t.ns } };
    await t.post(core(t, 'pods'), pod('one', { labels: { app: 'x' } }), { quiet: true });
    await t.post(`${core(t, 'pods', 'one')}/eviction`, { ...body, deleteOptions: { dryRun: ['All'] } });
    await t.get(core(t, 'pods', 'one'), { show: (answer) => answer.code });
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'keep' }, spec };
    await t.post(grouped(t, 'policy/v1', 'poddisruptionbudgets'), budget);
    const pdb = `${grouped(t, 'policy/v1', 'poddisruptionbudgets', 'keep')}/status`;
    const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await t.patch(`${core(t, 'pods', 'one')}/status`, 'merge', { status: running }, { quiet: true });
    await t.post(`${core(t, 'pods', 'one')}/eviction`, body);
    const closed = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    };
    await t.patch(pdb, 'merge', { status: closed });
    await t.post(`${core(t, 'pods', 'one')}/eviction`, body);
    const open = {
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
    };
    await t.patch(pdb, 'merge', { status: open });
    await t.post(`${core(t, 'pods', 'one')}/eviction`, body);
    await t.get(grouped(t, 'policy/v1', 'poddisruptionbudgets', 'keep'));
    await t.get(core(t, 'pods', 'one'));
    await t.post(`${core(t, 'pods', 'one')}/eviction`, body);
  },
  'namespace-finalize-and-status': async (t) => {
    const name = `${t.slug}-x`;
    const made = await t.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await t.put(`/api/v1/namespaces/${name}/finalize`, { ...made.object, spec: { finalizers: ['example.com/wait'] } });
    await t.get(`/api/v1/namespaces/${name}/status`);
    await t.delete(`/api/v1/namespaces/${name}`);
    const open = await t.get(`/api/v1/namespaces/${name}`, { quiet: true });
    await t.put(`/api/v1/namespaces/${name}/finalize`, { ...open.object, spec: { finalizers: [] } });
  },
});
