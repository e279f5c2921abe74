import type { JsonObject } from '../../../src/schema/index.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, pod, widget, widgetCrd, widgetCrdWith, widgets, widgetVersion } from '../fixtures.ts';

const quiet = { quiet: true };

/** Creates a CRD and waits until kubectl can find out about it. */
async function discoverable(t: CaseRun, crd: JsonObject = widgetCrd(t)): Promise<string> {
  await t.crd(crd);
  await known(t, 'v1.Widget"');
  return `widgets.${t.group}`;
}

/**
 * Waits until the OpenAPI document of the case's group says something, under the address that the index gives: kubectl
 * keeps what it read under that address for good.
 */
async function known(t: CaseRun, text: string): Promise<void> {
  await t.settle(`the OpenAPI document says ${text}`, async () => {
    const { paths = {} } = (await t.get('/openapi/v3', quiet)).object;
    const { serverRelativeURL } = ((paths as JsonObject)[`apis/${t.group}/v1`] ?? {}) as JsonObject;
    if (typeof serverRelativeURL !== 'string') return false;
    return (await t.get(serverRelativeURL, quiet)).text.includes(text);
  });
}

/** Writes a program that edits a file in place and hands over its path. */
function editor(t: CaseRun, name: string, script: string): string {
  return `sh ${t.file(name, `set -e\n${script}\n`)}`;
}

const label = (name: string, data: Record<string, string> = {}) => configMap(name, data, { labels: { app: 'x' } });

/** More of what people type: the same commands on both servers. */
export const commands = topic('commands', {
  diff: async (t) => {
    const type = await discoverable(t);
    t.file('a.yaml', [configMap('one', { a: '1' }), widget(t, 'w', { size: 3 })]);
    await t.kubectl('diff -f a.yaml');
    await t.kubectl('apply -f a.yaml');
    await t.kubectl('diff -f a.yaml');
    t.file('a.yaml', [configMap('one', { a: '2' }), widget(t, 'w', { size: 4, tags: ['new'] })]);
    await t.kubectl('diff -f a.yaml');
    await t.kubectl('diff --server-side -f a.yaml');
    await t.kubectl('diff --server-side --force-conflicts -f a.yaml');
    await t.kubectl('diff -f a.yaml --show-managed-fields=false -l none=such');
    t.file('bad.yaml', widget(t, 'w', { size: 500 }));
    await t.kubectl('diff -f bad.yaml');
    await t.kubectl(`get ${type} w -o jsonpath={.spec.size}`);
    await t.kubectl('diff -f a.yaml --prune -l app=x --prune-allowlist=core/v1/ConfigMap');
  },
  edit: async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), quiet);
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }), quiet);
    await t.kubectl('edit configmap one', { editor: editor(t, 'grow.sh', 'sed -i \'s/a: "1"/a: "2"/\' "$1"') });
    await t.kubectl('get configmap one -o jsonpath={.data}');
    await t.kubectl(`edit ${type} one`, { editor: editor(t, 'size.sh', 'sed -i "s/size: 3/size: 4/" "$1"') });
    await t.kubectl(`edit ${type} one -o json`, {
      editor: editor(t, 'json.sh', 'sed -i "s/\\"size\\": 4/\\"size\\": 5/" "$1"'),
    });
    await t.kubectl(`edit ${type} one --subresource=status`, {
      editor: editor(t, 'status.sh', 'printf "status:\\n  phase: Edited\\n" >> "$1"'),
    });
    await t.kubectl(`get ${type} one -o jsonpath={.spec.size}{.status.phase}`);
    await t.kubectl('edit configmap one', { editor: editor(t, 'same.sh', 'true') });
    await t.kubectl('edit configmap one', { editor: editor(t, 'empty.sh', ': > "$1"') });
    await t.kubectl('edit configmap none', { editor: editor(t, 'none.sh', 'true') });
    await t.kubectl('edit configmap one', { editor: editor(t, 'fails.sh', 'exit 3') });
    await t.kubectl('edit configmap one --output-patch', {
      editor: editor(t, 'patch.sh', 'sed -i \'s/a: "2"/a: "3"/\' "$1"'),
    });
  },
  'edit-refused': async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), quiet);
    // Opened again with what was wrong, the editor leaves the file as it is, and kubectl gives up.
    const once = (name: string, change: string) =>
      editor(t, `${name}.sh`, `if [ -e ${name}.done ]; then exit 0; fi\ntouch ${name}.done\n${change}`);
    await t.kubectl(`edit ${type} one`, { editor: once('large', 'sed -i "s/size: 3/size: 500/" "$1"') });
    await t.kubectl(`edit ${type} one`, { editor: once('broken', 'echo "a: b: c" >> "$1"') });
    await t.kubectl(`edit ${type} one`, { editor: once('renamed', 'sed -i "s/  name: one/  name: two/" "$1"') });
    await t.kubectl(`get ${type} -o custom-columns=NAME:.metadata.name,SIZE:.spec.size`);
    await t.kubectl(`edit ${type}/one ${type}/two`, { editor: editor(t, 'both.sh', 'true') });
  },
  'custom-columns': async (t) => {
    const type = await discoverable(t);
    await t.post(
      widgets(t),
      widget(
        t,
        'one',
        {
          size: 3,
          tags: ['a', 'b'],
          ports: [
            { name: 'http', number: 80 },
            { name: 'https', number: 443 },
          ],
        },
        { labels: { a: 'b' } },
      ),
      quiet,
    );
    await t.post(widgets(t), widget(t, 'two', { color: 'red' }), quiet);
    await t.kubectl(`get ${type} -o custom-columns=NAME:.metadata.name,SIZE:.spec.size,COLOR:.spec.color`);
    await t.kubectl(`get ${type} -o custom-columns=PORTS:.spec.ports[*].number,FIRST:.spec.ports[0].name`);
    await t.kubectl(`get ${type} -o 'custom-columns=FILTER:.spec.ports[?(@.number>100)].name,LABELS:.metadata.labels'`);
    await t.kubectl(`get ${type} -o custom-columns=NAME:.metadata.name --no-headers`);
    t.file('columns.txt', 'NAME           SIZE\n.metadata.name .spec.size\n');
    await t.kubectl(`get ${type} -o custom-columns-file=columns.txt`);
    await t.kubectl(`get ${type} -o custom-columns=BROKEN`);
    await t.kubectl(`get ${type},configmaps -o custom-columns=KIND:.kind,NAME:.metadata.name --sort-by=.metadata.name`);
    await t.kubectl(`get ${type} one -o custom-columns=OWNER:.metadata.managedFields[*].manager`);
  },
  jsonpath: async (t) => {
    const type = await discoverable(t);
    await t.post(
      widgets(t),
      widget(t, 'one', {
        size: 3,
        ratio: 0.5,
        enabled: true,
        tags: ['a', 'b'],
        limits: { cpu: 1, memory: '2Gi' },
        ports: [{ name: 'http', number: 80 }],
      }),
      quiet,
    );
    await t.post(widgets(t), widget(t, 'two', { color: 'red' }), quiet);
    const get = (path: string) => t.kubectl(`get ${type} -o 'jsonpath=${path}'`);
    await get('{.items[*].metadata.name}');
    await get('{range .items[*]}{.metadata.name}{"\\t"}{.spec.size}{"\\n"}{end}');
    await get('{.items[?(@.spec.color=="red")].metadata.name}');
    await get('{.items[0].spec}');
    await get('{.items[0].spec.limits}{.items[0].spec.ratio}{.items[0].spec.enabled}');
    await get('{.items[0].spec.tags[-1:]}');
    await get('{..number}');
    await get('{.items[9].spec}');
    await get('{.nothing}');
    await get('{.items[');
    await t.kubectl(`get ${type} one -o jsonpath-as-json={.spec.ports}`);
    await t.kubectl(`get ${type} one --allow-missing-template-keys=false -o jsonpath={.spec.nothing}`);
    t.file('path.txt', '{.kind} {.metadata.name}');
    await t.kubectl(`get ${type} one -o jsonpath-file=path.txt`);
    await t.kubectl(`get ${type} -o 'go-template={{range .items}}{{.metadata.name}}={{.spec.size}} {{end}}'`);
  },
  'explain-recursive': async (t) => {
    const type = await discoverable(t);
    const structureOnly = (line: string) => /^[A-Z]+:/.test(line) || /<\S+>/.test(line);
    await t.kubectl(`explain ${type} --recursive`, { show: structureOnly });
    await t.kubectl(`explain ${type}.spec --recursive`);
    await t.kubectl(`explain ${type}.status --recursive`);
    await t.kubectl(`explain ${type}.spec.nested`);
    await t.kubectl(`explain ${type}.spec.limits`);
    await t.kubectl(`explain ${type} --api-version=${t.group}/v1 --output=plaintext-openapiv2`, {
      show: structureOnly,
    });
    await t.kubectl(`explain ${type} --api-version=${t.group}/v9`);
    await t.kubectl('explain lease --recursive', { show: structureOnly });
    await t.kubectl('explain nothings');
  },
  'api-resources-and-versions': async (t) => {
    const names = {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
      shortNames: ['wd'],
      categories: ['toys'],
    };
    await discoverable(t, widgetCrd(t, undefined, { names }));
    await t.kubectl(`api-resources --api-group=${t.group} -o wide`);
    await t.kubectl(`api-resources --api-group=${t.group} --verbs=list,get --categories=toys`);
    await t.kubectl(`api-resources --api-group=${t.group} --verbs=fly`);
    await t.kubectl(`api-resources --api-group=${t.group} --namespaced=false`);
    await t.kubectl(`api-resources --api-group=${t.group} -o name --sort-by=kind`);
    await t.kubectl(`api-resources --api-group=${t.group} --no-headers`);
    await t.kubectl('api-resources --api-group=authorization.k8s.io');
    await t.kubectl('api-resources --api-group=apiextensions.k8s.io');
    await t.kubectl('api-versions', {
      show: (line) => line.startsWith(t.group) || line === 'v1' || line === 'batch/v1',
    });
    await t.kubectl(`get Widget.${t.group}`);
    await t.kubectl(`get widgets.v1.${t.group}`);
  },
  'create-token': async (t) => {
    await t.kubectl('create serviceaccount robot');
    const plain = await t.kubectl('create token robot');
    t.note('three parts', plain.stdout.trim().split('.').length);
    await t.kubectl('create token robot --duration=20m');
    await t.kubectl('create token robot --duration=1m');
    await t.kubectl('create token robot --audience=https://example.com --audience=other');
    await t.kubectl('create token robot -o yaml', {
      show: (line) => /^(kind|spec|status)|audiences|boundObjectRef|expirationSeconds/.test(line),
    });
    await t.kubectl('create secret generic anchor');
    await t.kubectl('create token robot --bound-object-kind=Secret --bound-object-name=anchor');
    await t.kubectl('create token robot --bound-object-kind=Secret --bound-object-name=absent');
    await t.kubectl('create token robot --bound-object-kind=Pod');
    await t.kubectl('create token absent');
    const token = plain.stdout.trim();
    await t.kubectl(`auth whoami --token=${token}`, { show: (line) => /^(Username|Groups) /.test(line) });
  },
  'cascade-forms': async (t) => {
    const family = async (name: string) => {
      const owner = await t.post(core(t, 'configmaps'), configMap(name), quiet);
      const ownerReferences = [
        { apiVersion: 'v1', kind: 'ConfigMap', name, uid: owner.str('metadata.uid'), blockOwnerDeletion: true },
      ];
      await t.post(core(t, 'configmaps'), configMap(`${name}-child`, {}, { ownerReferences }), quiet);
    };
    const child = async (name: string, code: number) => {
      await t.until(core(t, 'configmaps', `${name}-child`), (answer) => answer.code === code, {
        show: (answer) => answer.at('metadata.ownerReferences') ?? answer.code,
      });
    };
    for (const form of ['background', 'foreground']) {
      await family(form);
      await t.kubectl(`delete configmap ${form} --cascade=${form}`);
      await child(form, 404);
    }
    await family('orphan');
    await t.kubectl('delete configmap orphan --cascade=orphan');
    await child('orphan', 200);
    await family('old');
    await t.kubectl('delete configmap old --cascade=false');
    await child('old', 200);
    await family('older');
    await t.kubectl('delete configmap older --cascade=true');
    await child('older', 404);
    await family('bare');
    await t.kubectl('delete configmap bare --cascade');
    await child('bare', 404);
    await t.kubectl('delete configmap none --cascade=sideways');
  },
  'delete-forms': async (t) => {
    const type = await discoverable(t);
    for (const name of ['a', 'b', 'c']) await t.post(widgets(t), widget(t, name, {}, { labels: { name } }), quiet);
    await t.kubectl(`delete ${type} -l name=a --dry-run=client`);
    await t.kubectl(`delete ${type} -l name=a --dry-run=server`);
    await t.kubectl(`delete ${type} -l 'name in (a,b)'`);
    await t.kubectl(`delete ${type} --field-selector metadata.name=c -o name`);
    await t.kubectl(`delete ${type} --all`);
    await t.kubectl(`delete ${type}`);
    await t.post(widgets(t), widget(t, 'held', {}, { finalizers: ['example.com/x'] }), quiet);
    await t.kubectl(`delete ${type} held --wait=false`);
    await t.kubectl(`delete ${type} held --timeout=1s`);
    await t.patch(widgets(t, 'held'), 'merge', { metadata: { finalizers: null } }, quiet);
    t.file('a.yaml', [configMap('one'), configMap('two')]);
    await t.kubectl('apply -f a.yaml');
    await t.kubectl('delete -f a.yaml --ignore-not-found');
    await t.kubectl('delete -f a.yaml');
    await t.kubectl('delete -f a.yaml --ignore-not-found');
  },
  'apply-prune': async (t) => {
    const type = await discoverable(t);
    const only = `--prune-allowlist=core/v1/ConfigMap --prune-allowlist=${t.group}/v1/Widget`;
    t.file('all.yaml', [
      label('one'),
      label('two'),
      { ...widget(t, 'w', { size: 2 }), metadata: { name: 'w', labels: { app: 'x' } } },
    ]);
    await t.kubectl(`apply --prune -l app=x -f all.yaml ${only}`);
    t.file('some.yaml', [label('one', { a: '2' })]);
    await t.kubectl(`apply --prune -l app=x -f some.yaml ${only} --dry-run=client`);
    await t.kubectl(`apply --prune -l app=x -f some.yaml ${only} --dry-run=server`);
    await t.kubectl(`apply --prune -l app=x -f some.yaml ${only}`);
    await t.kubectl(`get configmaps,${type} -l app=x -o name`);
    await t.post(core(t, 'configmaps'), label('foreign'), quiet);
    await t.kubectl(`apply --prune -l app=x -f some.yaml ${only}`);
    await t.kubectl('get configmaps -l app=x -o name');
    await t.kubectl('apply --prune -f some.yaml');
    await t.kubectl('apply --prune -l app=x -f some.yaml --dry-run=server');
  },
  'apply-set': async (t) => {
    const environment = '--applyset=configmaps/set --prune';
    t.file('all.yaml', [configMap('one'), configMap('two')]);
    await t.kubectl(`apply --server-side ${environment} -f all.yaml`);
  },
  'apply-many-forms': async (t) => {
    const type = await discoverable(t);
    await t.kubectl('apply -f -', { stdin: JSON.stringify(configMap('piped', { a: '1' })) });
    t.file('kustomization.yaml', {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['one.yaml'],
      namePrefix: 'pre-',
      commonAnnotations: { by: 'kustomize' },
    });
    t.file('one.yaml', [configMap('one', { a: '1' })]);
    await t.kubectl('apply -k .');
    await t.kubectl('get configmap pre-one -o jsonpath={.metadata.annotations.by}');
    t.file('list.yaml', { apiVersion: 'v1', kind: 'List', items: [configMap('x1'), widget(t, 'listed', { size: 2 })] });
    await t.kubectl('apply -f list.yaml -o name');
    await t.kubectl('apply set-last-applied -f one.yaml');
    t.file('made.yaml', [configMap('made', { a: '1' })]);
    await t.kubectl('create -f made.yaml --save-config');
    await t.kubectl('apply view-last-applied configmap made');
    t.file('made.yaml', [configMap('made', { b: '2' })]);
    await t.kubectl('apply -f made.yaml');
    await t.kubectl('get configmap made -o jsonpath={.data}');
    await t.kubectl(`get ${type} listed -o jsonpath={.metadata.annotations}`, {
      show: (line) => line.includes('last-applied'),
    });
    t.file('two.yaml', [{ ...configMap('made'), metadata: { generateName: 'x-' } }]);
    await t.kubectl('apply -f two.yaml');
    await t.kubectl('apply --server-side -f made.yaml --field-manager=kubectl');
    await t.kubectl('apply --server-side --dry-run=server -f made.yaml -o name');
  },
  'crd-rollout': async (t) => {
    t.file('crd.yaml', widgetCrd(t));
    await t.kubectl('apply --server-side -f crd.yaml');
    await t.kubectl(`wait --for=condition=Established crd/widgets.${t.group} --timeout=60s`);
    await known(t, 'v1.Widget"');
    t.file('w.yaml', widget(t, 'one', { size: 2, added: 'x' }));
    await t.kubectl('apply -f w.yaml');
    const wider = widgetCrdWith(t, { added: { type: 'string', default: 'new' } });
    t.file('crd.yaml', wider);
    await t.kubectl('diff --server-side -f crd.yaml');
    await t.kubectl('apply --server-side -f crd.yaml');
    await known(t, '"added"');
    await t.settle(
      'the new field is there',
      async () => (await t.post(`${widgets(t)}?dryRun=All`, widget(t, 'probe'), quiet)).at('spec.added') === 'new',
    );
    await t.kubectl('apply -f w.yaml');
    await t.kubectl(`get widgets.${t.group} one -o jsonpath={.spec.added}`);
    await t.kubectl(`explain widgets.${t.group}.spec.added`);
    await t.kubectl(`rollout status crd/widgets.${t.group}`);
    await t.kubectl(`rollout history widgets.${t.group}/one`);
    await t.kubectl(`rollout restart widgets.${t.group}/one`);
    await t.kubectl(`rollout undo crd/widgets.${t.group}`);
    const versions = [widgetVersion('v1'), widgetVersion('v2', { storage: false, deprecated: true })];
    t.file('crd.yaml', widgetCrd(t, versions));
    await t.kubectl('apply --server-side -f crd.yaml');
    await t.settle(
      'the second version is served',
      async () => (await t.get(`/apis/${t.group}/v2/widgets`, quiet)).headers.warning !== undefined,
    );
    await t.kubectl(`get widgets.v2.${t.group} one -o jsonpath={.apiVersion}`);
    await t.kubectl(`get crd widgets.${t.group} -o jsonpath={.status.storedVersions}`);
    t.file('bad.yaml', widgetCrd(t, [widgetVersion('v1', {}, { type: 'object', properties: { x: {} } })]));
    await t.kubectl('apply --server-side -f bad.yaml');
  },
  proxy: async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one', { a: '1' }), quiet);
    await t.kubectlProxy(
      '',
      [
        '/version',
        core(t, 'configmaps', 'one'),
        core(t, 'configmaps', 'none'),
        '/nothing',
        `${core(t, 'pods')}/x/exec`,
      ],
      (answer) => answer.at('data') ?? answer.at('message') ?? answer.at('major') ?? answer.text,
    );
    await t.kubectlProxy(
      '--api-prefix=/kube',
      [`/kube${core(t, 'configmaps', 'one')}`, core(t, 'configmaps', 'one')],
      (answer) => answer.at('data') ?? answer.text,
    );
    await t.kubectlProxy(
      '--reject-paths=^/api/v1/.*',
      [core(t, 'configmaps', 'one'), '/healthz'],
      (answer) => answer.text,
    );
  },
  'get-many-forms': async (t) => {
    const type = await discoverable(t);
    for (const name of ['a', 'b'])
      await t.post(widgets(t), widget(t, name, { size: 5, color: 'red' }, { labels: { app: name } }), quiet);
    await t.kubectl(`get ${type} -L app`);
    await t.kubectl(`get ${type} --show-kind`);
    await t.kubectl(`get ${type} -o wide --no-headers`);
    await t.kubectl(`get ${type} -A --field-selector metadata.namespace=${t.ns}`);
    await t.kubectl(`get ${type} a b c`);
    await t.kubectl(`get ${type} a b c --ignore-not-found`);
    await t.kubectl(`get ${type} -o json -l app=a`, { show: (line) => !line.includes('resourceVersion') });
    await t.kubectl(`get ${type} a -o yaml --subresource=status`);
    await t.kubectl(`get ${type} a --subresource=scale`);
    await t.kubectl(`get ${type} -l 'app in (a'`);
    await t.kubectl(`get ${type} --field-selector spec.size=5`);
    await t.kubectl(`get ${type} --server-print=false`);
    await t.kubectl(`get --raw ${widgets(t)}/a/scale`, { show: () => false });
    await t.kubectl('get --raw /nothing');
    await t.kubectl('get configmaps,secrets --chunk-size=1 -o name');
  },
  'wait-many-forms': async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one', {}, { labels: { app: 'x' } }), quiet);
    await t.kubectl(`wait ${type}/one --for=create --timeout=60s`);
    await t.kubectl(`wait ${type} -l app=x --for=jsonpath={.spec.size}=1 --timeout=60s`);
    await t.kubectl(`wait ${type} -l app=y --for=jsonpath={.spec.size}=1 --timeout=1s`);
    await t.kubectl(`wait ${type} --all --for=jsonpath={.spec.size} --timeout=60s`);
    await t.kubectl(`wait ${type}/one --for=jsonpath={.status.phase} --timeout=1s`);
    const status = { conditions: [{ type: 'Ready', status: 'False', reason: 'Waiting' }] };
    await t.patch(`${widgets(t, 'one')}/status`, 'merge', { status }, quiet);
    await t.kubectl(`wait ${type}/one --for=condition=Ready=false --timeout=60s`);
    const waited = t.kubectl(`wait ${type}/one --for=condition=Ready --timeout=60s`);
    await t.patch(
      `${widgets(t, 'one')}/status`,
      'merge',
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      quiet,
    );
    await waited;
    await t.kubectl(`wait ${type}/none --for=delete --timeout=1s`);
    await t.kubectl(`wait ${type}/one --for=delete --timeout=1s`);
    await t.kubectl(`wait ${type}/one --for=nonsense --timeout=1s`);
  },
  'patch-and-set': async (t) => {
    const type = await discoverable(t);
    await t.post(widgets(t), widget(t, 'one', { size: 3 }), quiet);
    t.file('patch.yaml', 'spec:\n  size: 9\n');
    await t.kubectl(`patch ${type} one --type=merge --patch-file=patch.yaml`);
    await t.kubectl(
      `patch ${type} one --type=merge -p '{"spec":{"size":10}}' --dry-run=server -o jsonpath={.spec.size}`,
    );
    await t.kubectl(
      `patch ${type} one --type=merge -p '{"spec":{"size":10}}' --dry-run=client -o jsonpath={.spec.size}`,
    );
    await t.kubectl(`patch ${type} none --type=merge -p '{}'`);
    await t.kubectl(`patch ${type} one --type=merge -p 'not json'`);
    await t.kubectl(`patch ${type} one --type=json -p '[{"op":"remove","path":"/spec/nothing"}]'`);
    await t.kubectl(`patch ${type} one --subresource=scale --type=merge -p '{"spec":{"replicas":4}}'`);
    await t.post(core(t, 'pods'), pod('p'), quiet);
    await t.kubectl('set image pod/p main=example.com/app:2');
    await t.kubectl('set image pod/p other=example.com/app:2');
    await t.kubectl('set env pod/p A=b --dry-run=client -o name');
    await t.kubectl('set env pod/p --list');
    await t.kubectl('label pod p a=b --field-manager=me -o jsonpath={.metadata.labels}');
    await t.kubectl('annotate pods --all note=hello');
    await t.kubectl('get pod p -o jsonpath={.spec.containers[0].image}');
  },
  'access-commands': async (t) => {
    await t.kubectl('create role reader --verb=get,list --resource=configmaps --resource-name=one');
    await t.kubectl('create role odd --verb=get --resource=nothings');
    await t.kubectl(`create clusterrole ${t.slug} --verb=get --non-resource-url=/x/*`);
    await t.kubectl(`create clusterrole ${t.slug}-sum --aggregation-rule=a=b`);
    await t.kubectl('create rolebinding reader --role=reader --serviceaccount=default:robot --group=team');
    await t.kubectl('get role,rolebinding');
    await t.kubectl('describe role reader');
    await t.kubectl('describe rolebinding reader');
    t.file('rbac.yaml', [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'reader' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] }],
      },
    ]);
    await t.kubectl('auth reconcile -f rbac.yaml');
    await t.kubectl('get role reader -o jsonpath={.rules}');
    await t.kubectl('auth can-i list configmaps --as=somebody --as-group=team');
    await t.kubectl('auth can-i get configmap/one --as=somebody --as-group=team');
    await t.kubectl(`delete clusterrole ${t.slug} ${t.slug}-sum`);
  },
});
