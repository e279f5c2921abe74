import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, pod, widget, widgetCrd, widgets } from '../fixtures.ts';

/** Creates the widget CRD and waits until kubectl can find out about it. */
async function discoverable(t: CaseRun): Promise<string> {
  await t.crd(widgetCrd(t));
  await t.until(`/apis/${t.group}/v1`, (answer) => answer.code === 200, { quiet: true });
  const inIndex = `"apis/${t.group}/v1"`;
  await t.until('/openapi/v3', (answer) => answer.text.includes(inIndex), { quiet: true });
  await t.until(`/openapi/v3/apis/${t.group}/v1`, (answer) => answer.text.includes('v1.Widget"'), { quiet: true });
  return `widgets.${t.group}`;
}

/** Lines of kubectl explain that name fields and types; the rest describes built-in fields in each server's own words. */
function isStructure(line: string): boolean {
  return /^[A-Z]+:/.test(line) || /\t?<\S+>/.test(line);
}

/** What people type every day. */
export const kubectl = topic('kubectl', {
  'apply-client-side': async (t) => {
    t.file('a.yaml', [configMap('one', { a: '1', b: '2' }), configMap('two')]);
    await t.kubectl('apply -f a.yaml');
    await t.kubectl('apply -f a.yaml');
    t.file('a.yaml', configMap('one', { a: '9' }));
    await t.kubectl('diff -f a.yaml');
    await t.kubectl('apply -f a.yaml --dry-run=server');
    await t.kubectl('apply -f a.yaml');
    await t.get(core(t, 'configmaps', 'one'));
    t.file('broken.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\nalien: 1\n');
    await t.kubectl('apply -f broken.yaml');
    await t.kubectl('apply -f broken.yaml --validate=warn');
  },
  'apply-server-side': async (t) => {
    t.file('a.yaml', configMap('one', { a: '1' }));
    await t.kubectl('apply --server-side -f a.yaml');
    await t.kubectl('apply --server-side -f a.yaml');
    t.file('b.yaml', configMap('one', { a: '2' }));
    await t.kubectl('apply --server-side --field-manager=other -f b.yaml');
    await t.kubectl('apply --server-side --field-manager=other --force-conflicts -f b.yaml');
    await t.get(core(t, 'configmaps', 'one'));
  },
  'apply-widgets': async (t) => {
    const type = await discoverable(t);
    t.file('w.yaml', widget(t, 'one', { size: 4, ports: [{ name: 'http', number: 80 }] }));
    await t.kubectl('apply -f w.yaml');
    t.file('w.yaml', widget(t, 'one', { color: 'red' }));
    await t.kubectl('apply -f w.yaml');
    await t.kubectl(`get ${type} one -o jsonpath={.spec}`);
    await t.kubectl('apply --server-side -f w.yaml');
    t.file('bad.yaml', widget(t, 'two', { color: 'purple', alien: 1 }));
    await t.kubectl('apply -f bad.yaml');
    await t.kubectl('apply -f bad.yaml --validate=false');
  },
  'apply-crd-and-object': async (t) => {
    t.file('crd.yaml', widgetCrd(t));
    await t.kubectl('apply -f crd.yaml');
    await t.kubectl(`wait --for=condition=Established crd/widgets.${t.group} --timeout=60s`);
    await t.settle('widgets are served', async () => (await t.get(widgets(t), { quiet: true })).code === 200);
    t.file('w.yaml', widget(t, 'one', { size: 2 }));
    await t.kubectl('apply -f w.yaml --validate=false');
    await t.kubectl('delete -f crd.yaml');
    await t.until(widgets(t), (answer) => answer.code === 404);
  },
  get: async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one', { size: 4, color: 'red' }, { labels: { a: 'b' } }), { quiet: true });
    await t.post(widgets(t), widget(t, 'two', { size: 5 }), { quiet: true });
    await t.kubectl(`get ${type}`);
    await t.kubectl(`get ${type} one -o wide`);
    await t.kubectl(`get ${type} -l a=b --show-labels`);
    await t.kubectl(`get ${type} -o name`);
    await t.kubectl(`get ${type} -o custom-columns=N:.metadata.name,S:.spec.size`);
    await t.kubectl(`get ${type} --sort-by=.spec.size --no-headers`);
    await t.kubectl(`get ${type} one -o yaml`);
    await t.kubectl(`get ${type} one -o yaml --show-managed-fields`);
    await t.kubectl(`get ${type} missing`);
    await t.kubectl(`get ${type} --field-selector metadata.name=two`);
    await t.kubectl('get nothings');
    await t.kubectl(`get ${type} --chunk-size=1 -o name`);
    await t.kubectl(`get ${type}/one ${type}/two -o 'go-template={{len .items}}'`);
  },
  'get-built-ins': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }, { labels: { mine: 'yes' } }), { quiet: true });
    await t.post(core(t, 'pods'), pod('one'), { quiet: true });
    await t.kubectl('get configmaps -l mine=yes');
    await t.kubectl('get pods -o wide');
    await t.kubectl(`get namespace ${t.ns}`);
    await t.kubectl('get secrets');
    await t.kubectl('get configmap one -o jsonpath={.data.a}');
    await t.kubectl('get --raw /healthz');
  },
  'get-watch': async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one', { size: 1 }), { quiet: true });
    await t.kubectlFollow(`get ${type} --watch --output-watch-events`, { firstLines: 2, lines: 5 }, async () => {
      await t.patch(widgets(t, 'one'), 'merge', { spec: { size: 2 } }, { quiet: true });
      await t.post(widgets(t), widget(t, 'two'), { quiet: true });
      await t.delete(widgets(t, 'one'), undefined, { quiet: true });
    });
  },
  wait: async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    const status = { phase: 'Ready', conditions: [{ type: 'Ready', status: 'True' }] };
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status }, { quiet: true });
    await t.kubectl(`wait ${type}/one --for=condition=Ready --timeout=60s`);
    await t.kubectl(`wait ${type}/one --for=jsonpath={.status.phase}=Ready --timeout=60s`);
    await t.kubectl(`wait ${type}/one --for=condition=Broken --timeout=1s`);
    await t.kubectl(`wait ${type}/missing --for=condition=Ready --timeout=1s`);
    const deleted = t.kubectl(`wait ${type}/one --for=delete --timeout=60s`);
    await t.delete(widgets(t, 'one'), undefined, { quiet: true });
    await deleted;
  },
  patch: async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one', { tags: ['a'] }), { quiet: true });
    await t.kubectl(`patch ${type} one --type=merge -p '{"spec":{"size":7}}'`);
    await t.kubectl(`patch ${type} one --type=merge -p '{"spec":{"size":7}}'`);
    await t.kubectl(`patch ${type} one --type=json -p '[{"op":"add","path":"/spec/tags/-","value":"b"}]'`);
    await t.kubectl(`patch ${type} one --subresource=status --type=merge -p '{"status":{"phase":"Up"}}'`);
    await t.kubectl(`patch ${type} one -p '{"spec":{"size":8}}'`);
    await t.kubectl(`patch ${type} one --type=merge -p '{"spec":{"size":800}}'`);
    await t.post(core(t, 'pods'), pod('one'), { quiet: true });
    await t.kubectl(`patch pod one -p '{"metadata":{"labels":{"a":"b"}}}'`);
    await t.kubectl(`get ${type} one --subresource=status -o jsonpath={.status}`);
  },
  scale: async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one', { replicas: 1 }), { quiet: true });
    await t.kubectl(`scale ${type}/one --replicas=3`);
    await t.kubectl(`scale ${type}/one --replicas=5 --current-replicas=1`);
    await t.kubectl(`get ${type} one -o jsonpath={.spec.replicas}`);
    await t.kubectl(`scale ${type}/missing --replicas=3`);
  },
  delete: async (t) => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await t.post(core(t, 'configmaps'), configMap(name, {}, { labels: { mine: 'yes' } }), { quiet: true });
    }
    await t.kubectl('delete configmap a');
    await t.kubectl('delete configmap a');
    await t.kubectl('delete configmap a --ignore-not-found');
    await t.kubectl('delete configmap b --wait=false --cascade=orphan');
    await t.until(core(t, 'configmaps', 'b'), (answer) => answer.code === 404);
    await t.kubectl('delete configmap c --dry-run=server');
    await t.kubectl('delete configmaps -l mine=yes');
    await t.post(core(t, 'pods'), pod('one'), { quiet: true });
    await t.kubectl('delete pod one --now');
    await t.post(core(t, 'pods'), pod('two'), { quiet: true });
    await t.kubectl('delete pod two --force');
  },
  'auth-can-i': async (t) => {
    await t.kubectl('auth can-i create pods');
    await t.kubectl('auth can-i get configmaps --as=somebody');
    await t.kubectl('auth can-i get /metrics --as=somebody');
    await t.kubectl('auth can-i get nothings');
    await t.kubectl('auth can-i --list --as=somebody');
    await t.kubectl('auth whoami --as=somebody');
    await t.kubectl('create role reader --verb=get,list --resource=configmaps');
    await t.kubectl('create rolebinding reader --role=reader --user=somebody');
    await t.settle('the role is in force', async () => {
      return (
        (await t.get(core(t, 'configmaps'), { headers: { 'impersonate-user': 'somebody' }, quiet: true })).code === 200
      );
    });
    await t.kubectl('auth can-i get configmaps --as=somebody');
    await t.kubectl('get configmap missing --as=somebody');
    await t.kubectl('get secrets --as=somebody');
  },
  explain: async (t) => {
    const type = await discoverable(t);
    await t.kubectl(`explain ${type}`, { show: isStructure });
    await t.kubectl(`explain ${type}.spec`);
    await t.kubectl(`explain ${type}.spec.ports --recursive`);
    await t.kubectl(`explain ${type}.spec.size`);
    await t.kubectl(`explain ${type}.nothing`);
  },
  'explain-built-ins': async (t) => {
    await t.kubectl('explain configmap', { show: isStructure });
    await t.kubectl('explain secrets.type', { show: isStructure });
    await t.kubectl('explain namespace.metadata.finalizers', { show: isStructure });
    await t.kubectl('explain pod.spec.containers', { show: isStructure });
    await t.kubectl('explain lease.spec --recursive', { show: isStructure });
    await t.kubectl('explain configmap.nothing');
  },
  describe: async (t) => {
    const type = await discoverable(t);
    await t.post(
      widgets(t),
      widget(t, 'one', { size: 4, ports: [{ name: 'http', number: 80 }] }, { labels: { a: 'b' } }),
      { quiet: true },
    );
    await t.kubectl(`describe ${type} one`);
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1', long: 'x\ny' }), { quiet: true });
    await t.kubectl('describe configmap one');
    await t.kubectl(`describe namespace ${t.ns}`);
    await t.post(
      core(t, 'secrets'),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' }, data: { a: 'eA==' } },
      { quiet: true },
    );
    await t.kubectl('describe secret one');
  },
  'label-and-annotate': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', {}, { labels: { a: 'b' } }), { quiet: true });
    await t.kubectl('label configmap one x=y');
    await t.kubectl('label configmap one x=z');
    await t.kubectl('label configmap one x=z --overwrite');
    await t.kubectl('label configmap one x-');
    await t.kubectl('annotate configmap one note=hello');
    await t.kubectl('annotate configmap one note-');
    await t.kubectl('label configmap one bad=not/ok!');
    await t.kubectl('label configmaps -l a=b all=yes');
    await t.get(core(t, 'configmaps', 'one'));
  },
  'create-and-replace': async (t) => {
    t.file('a.yaml', configMap('one', { a: '1' }));
    await t.kubectl('create -f a.yaml');
    await t.kubectl('create -f a.yaml');
    t.file('a.yaml', configMap('one', { a: '2' }));
    await t.kubectl('replace -f a.yaml');
    await t.kubectl('replace --force -f a.yaml');
    await t.kubectl('create configmap lit --from-literal=k=v -o yaml');
    await t.kubectl('create secret generic sec --from-literal=password=x');
    await t.kubectl('create serviceaccount robot');
    await t.kubectl(`create namespace ${t.slug}-more`);
    await t.kubectl('create job once --image=example.com/job:1 -o name');
    await t.kubectl('create configmap lit --dry-run=server');
    await t.kubectl('create token missing');
    await t.kubectl('run lone --image=example.com/app:1 --restart=Never');
    await t.kubectl('edit configmap lit');
  },
  'api-resources': async (t) => {
    await discoverable(t);
    await t.kubectl(`api-resources --api-group=${t.group}`);
    await t.kubectl('api-resources --api-group=coordination.k8s.io -o wide');
    await t.kubectl('api-resources --api-group=rbac.authorization.k8s.io -o name');
    await t.kubectl('api-resources --api-group=batch --namespaced=false');
  },
  events: async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    const involvedObject = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', namespace: t.ns };
    const times = { firstTimestamp: '2020-01-01T00:00:00Z', lastTimestamp: '2020-01-01T00:00:00Z' };
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e1' }, involvedObject, ...times };
    await t.post(
      core(t, 'events'),
      { ...event, reason: 'Tested', message: 'all well', type: 'Normal' },
      { quiet: true },
    );
    await t.kubectl('events');
    await t.kubectl('events --for configmap/one');
    await t.kubectl('events --types=Warning');
    await t.kubectl('get events -o custom-columns=R:.reason,M:.message');
  },
  'nodes-and-drain': async (t) => {
    const name = t.slug;
    await t.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } }, { quiet: true });
    await t.post(core(t, 'pods'), pod('lone', {}, { nodeName: name }), { quiet: true });
    await t.kubectl(`cordon ${name}`);
    await t.kubectl(`get node ${name}`);
    await t.kubectl(`drain ${name}`);
    await t.kubectl(`drain ${name} --force --grace-period=0 --timeout=60s`);
    await t.get(core(t, 'pods', 'lone'));
    await t.kubectl(`uncordon ${name}`);
    await t.kubectl(`taint node ${name} a=b:NoSchedule`);
    await t.kubectl(`delete node ${name}`);
  },
  version: async (t) => {
    await t.kubectl('version');
  },
});
