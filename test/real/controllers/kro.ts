import { hasCondition, namespace, type ObjectAddress, valueAt } from './objects.ts';
import type { Scenario } from './scenario.ts';

const home = 'kro-shops';
const graph: ObjectAddress = { apiVersion: 'kro.run/v1alpha1', kind: 'ResourceGraphDefinition', name: 'shop' };
const shopKind = { apiVersion: 'kro.run/v1alpha1', kind: 'Shop' };

const template = (kind: string, more: object) => ({
  apiVersion: 'v1',
  kind,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of kro
  metadata: { name: '${schema.metadata.name}' },
  ...more,
});

const resources = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of kro
  { id: 'settings', template: template('ConfigMap', { data: { title: '${schema.spec.title}' } }) },
  { id: 'account', template: template('ServiceAccount', {}) },
  {
    id: 'key',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of kro
    template: template('Secret', { stringData: { owner: '${account.metadata.name}' } }),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of kro
    includeWhen: ['${schema.spec.isLocked}'],
  },
  {
    id: 'role',
    template: {
      ...template('Role', { rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] }),
      apiVersion: 'rbac.authorization.k8s.io/v1',
    },
  },
];

/** kro makes a definition of a new kind, reads its schema from the server, and applies objects for each object of it. */
export const kro: Scenario = {
  name: 'kro',
  async prepare({ objects, kubeconfig, ports }) {
    await objects.apply(namespace(home));
    const port = await ports(2);
    return {
      env: { KUBECONFIG: kubeconfig.path },
      args: [
        ...['--metrics-bind-address', `127.0.0.1:${port}`, '--health-probe-bind-address', `127.0.0.1:${port + 1}`],
        ...['--leader-elect', '--leader-election-namespace', home, '--allow-crd-deletion'],
        // It ends when it cannot renew in time, which on a busy machine it may not within the usual 10 s.
        ...['--leader-election-lease-duration', '90s', '--leader-election-renew-deadline', '60s'],
      ],
    };
  },
  async work({ objects }, round) {
    const name = `round-${round}-shop`;
    const shop = { ...shopKind, name, namespace: home };
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: home };
    const key = { ...settings, kind: 'Secret' };
    const schema = {
      apiVersion: 'v1alpha1',
      kind: 'Shop',
      spec: { title: 'string | default=hello', isLocked: 'boolean | default=false' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of kro
      status: { shown: '${settings.data.title}' },
    };
    const { name: graphName, ...graphKind } = graph;
    await objects.apply({ ...graphKind, metadata: { name: graphName }, spec: { schema, resources } });
    await objects.until(
      graph,
      (object) => valueAt(object, 'status.state') === 'Active' && hasCondition(object, 'Ready'),
    );
    await objects.apply({ ...shopKind, metadata: { name, namespace: home }, spec: { isLocked: true } });
    await objects.until(shop, (object) => valueAt(object, 'status.shown') === 'hello' && hasCondition(object, 'Ready'));
    await objects.until(key, () => true);
    await objects.merge(shop, { spec: { title: 'goodbye', isLocked: false } });
    await objects.until(shop, (object) => valueAt(object, 'status.shown') === 'goodbye');
    await objects.untilGone(key);
    // It puts right what others change.
    await objects.merge(settings, { data: { title: 'changed by hand' } });
    await objects.until(settings, (object) => valueAt(object, 'data.title') === 'goodbye');
    await objects.delete(shop);
    await objects.untilGone(shop, settings, { ...settings, kind: 'ServiceAccount' });
    await objects.delete(graph);
    const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    await objects.untilGone(graph, { ...definition, name: 'shops.kro.run' });
  },
};
