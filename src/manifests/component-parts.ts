import { type Component, home, statusPort } from './components.ts';
import type { Condition } from './condition.ts';
import { deploymentOf, nameOf, type Placement } from './deployment.ts';
import { labelsOf, selectorOf } from './labels.ts';
import type { NamedRule } from './rights.ts';
import { type Part, type Template, tenant, value } from './template.ts';

type Manifest = Record<string, Template>;

const rbac = 'rbac.authorization.k8s.io';

/** Everything of one component, for all namespaces or for each tenant. */
export function partsOf(component: Component): Part[] {
  const file = component.name;
  const given = component.when === undefined ? [] : [component.when];
  const perTenant: Condition[] = component.perTenantIn.map((model) => ({ equals: ['tenancy.model', model] }));
  const roles: Part = { file, objects: rolesOf(component), ...whenAll(given) };
  const once: Part = {
    file,
    objects: placed(component, { namespace: home, isOfTenant: false }),
    ...whenAll([...given, ...(perTenant.length === 0 ? [] : [{ not: { any: perTenant } }])]),
  };
  if (perTenant.length === 0) return [roles, once];
  const each: Part = {
    file,
    objects: placed(component, { namespace: tenant, isOfTenant: true }),
    isPerTenant: true,
    ...whenAll([...given, { any: perTenant }]),
  };
  return [roles, once, each, ...portBindingsOf(component, given)];
}

function whenAll(conditions: readonly Condition[]): { when?: Condition } {
  const [first, ...others] = conditions;
  if (first === undefined) return {};
  return { when: others.length === 0 ? first : { all: conditions } };
}

/** The roles, one for each place in which they are bound. */
export function rolesOf(component: Component): Manifest[] {
  const places = [
    ['', component.rights.objects, 'in the namespaces that they look after'],
    ['-cluster', component.rights.cluster, 'outside of these'],
    ['-home', component.rights.home, 'in the namespace that they run in'],
    ['-ports', component.rights.ports ?? [], 'where switches and their ports are kept'],
    ['-shared', component.rights.shared ?? [], `in ${home}`],
  ] as const;
  return places
    .filter(([, rules]) => rules.length > 0)
    .map(([suffix, rules, where]) => ({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: {
        name: `${nameOf(component)}-component${suffix}`,
        labels: labelsOf(component.name),
        annotations: { 'rackwright.io/description': `What pods of ${nameOf(component)} ask for ${where}.` },
      },
      rules: rules as readonly NamedRule[] as unknown as Template,
    }));
}

function placed(component: Component, placement: Placement): Manifest[] {
  const { namespace } = placement;
  const name = nameOf(component);
  const metadata = { name, namespace, labels: labelsOf(component.name) };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    ...bindingsOf(component, placement),
    deploymentOf(component, placement),
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(component.name) } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: {
        selector: selectorOf(component.name),
        ports: [
          { name: 'status', port: statusPort, targetPort: 'status', protocol: 'TCP' },
          ...(component.name === 'webhooks'
            ? [{ name: 'webhooks', port: value('webhooks.port'), targetPort: 'webhooks', protocol: 'TCP' }]
            : []),
        ],
      },
    },
  ];
}

function bindingsOf(component: Component, placement: Placement): Manifest[] {
  const { isOfTenant, namespace } = placement;
  const { objects, cluster, home: own, shared = [] } = component.rights;
  return [
    ...(objects.length === 0
      ? []
      : [bindingOf(component, placement, { suffix: '', within: isOfTenant ? namespace : undefined })]),
    ...(cluster.length === 0 ? [] : [bindingOf(component, placement, { suffix: '-cluster', within: undefined })]),
    ...(own.length === 0 ? [] : [bindingOf(component, placement, { suffix: '-home', within: namespace })]),
    ...(shared.length === 0 ? [] : [bindingOf(component, placement, { suffix: '-shared', within: home })]),
  ];
}

/** Binds one of the roles within a namespace, or for the cluster. */
function bindingOf(
  component: Component,
  { namespace, isOfTenant }: Placement,
  { suffix, within }: { readonly suffix: string; readonly within: string | undefined },
): Manifest {
  const name = nameOf(component);
  // Outside of their own namespaces, bindings of tenants are told from each other by name.
  const owner = isOfTenant && within !== namespace ? `-${namespace}` : '';
  return {
    apiVersion: `${rbac}/v1`,
    kind: within === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: {
      name: `${name}-component${suffix}${owner}`,
      ...(within === undefined ? {} : { namespace: within }),
      labels: labelsOf(component.name),
    },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: `${name}-component${suffix}` },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
}

/** Ports are read everywhere, unless every tenant has switches of their own. */
function portBindingsOf(component: Component, given: readonly Condition[]): Part[] {
  if (component.rights.ports === undefined) return [];
  const { perTenantIn } = component;
  const inModel = (model: 'none' | 'limited' | 'full'): Condition => ({ equals: ['tenancy.model', model] });
  const everyone = { namespace: home, isOfTenant: false };
  const each = { namespace: tenant, isOfTenant: true };
  const once = [inModel('none'), ...(perTenantIn.includes('limited') ? [] : [inModel('limited')])];
  const part = (placement: Placement, when: Condition, within: string | undefined): Part => ({
    file: component.name,
    isPerTenant: placement.isOfTenant,
    objects: [bindingOf(component, placement, { suffix: '-ports', within })],
    ...whenAll([...given, when]),
  });
  return [
    part(everyone, { any: once }, undefined),
    ...(perTenantIn.includes('limited') ? [part(each, inModel('limited'), undefined)] : []),
    ...(perTenantIn.includes('full') ? [part(each, inModel('full'), tenant)] : []),
  ];
}

/** Who may talk to a component, and whom it may talk to where that can be said beforehand. */
export function networkPolicyOf(component: Component, namespace: string): Manifest {
  const isWebhooks = component.name === 'webhooks';
  const isConfined = component.reaches === 'api-servers';
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: nameOf(component), namespace, labels: labelsOf(component.name) },
    spec: {
      podSelector: { matchLabels: selectorOf(component.name) },
      policyTypes: isConfined ? ['Ingress', 'Egress'] : ['Ingress'],
      ingress: [
        {
          from: [{ namespaceSelector: { matchLabels: value('networkPolicies.metricsFrom') } }],
          ports: [{ protocol: 'TCP', port: 'status' }],
        },
        // API servers come from addresses that no selector knows; they show nothing but what they ask.
        ...(isWebhooks ? [{ ports: [{ protocol: 'TCP', port: 'webhooks' }] }] : []),
      ],
      ...(isConfined ? { egress: [{ ports: value('networkPolicies.egressPorts') }] } : {}),
    },
  };
}

/** The network policies of a component, where they are asked for. */
export function policyPartsOf(component: Component): Part[] {
  const isAsked: Condition = { is: 'networkPolicies.enabled' };
  return partsOf(component)
    .filter(({ objects }) => objects.some(({ kind }) => kind === 'Deployment'))
    .map(({ when, isPerTenant = false }) => ({
      file: 'network-policies',
      isPerTenant,
      when: when === undefined ? isAsked : { all: [isAsked, when] },
      objects: [networkPolicyOf(component, isPerTenant ? tenant : home)],
    }));
}
