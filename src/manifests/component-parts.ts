import { type Component, home } from './component.ts';
import type { Condition } from './condition.ts';
import { deploymentOf, ifOpen, nameOf, type Placement } from './deployment.ts';
import { labelsOf, selectorOf } from './labels.ts';
import type { ChosenRights, NamedRule } from './rights.ts';
import { type Part, type Template, tenant } from './template.ts';

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
  if (perTenant.length === 0) return [roles, once, ...chosenPartsOf(component, given)];
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
    ['', [...component.rights.objects, ...(component.rights.standing ?? [])], 'in the namespaces that they look after'],
    ['-cluster', component.rights.cluster, 'outside of these'],
    ['-home', component.rights.home, 'in the namespace that they run in'],
    ['-ports', component.rights.ports ?? [], 'where switches and their ports are kept'],
    ['-shared', component.rights.shared ?? [], `in ${home}`],
    ['-tenants', component.rights.tenants ?? [], 'to keep the Roles of tenants'],
  ] as const;
  return places
    .filter(([, rules]) => rules.length > 0)
    .map(([suffix, rules, where]) => roleOf(component, { suffix, rules, where }));
}

function roleOf(
  component: Component,
  { suffix, rules, where }: { readonly suffix: string; readonly rules: readonly NamedRule[]; readonly where: string },
): Manifest {
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: {
      name: `${nameOf(component)}-component${suffix}`,
      labels: labelsOf(component.name),
      annotations: { 'rackwright.io/description': `What pods of ${nameOf(component)} ask for ${where}.` },
    },
    rules: rules as unknown as Template,
  };
}

/** Rights that only some values make a component ask for, each with its binding. */
function chosenPartsOf(component: Component, given: readonly Condition[]): Part[] {
  const everyone = { namespace: home, isOfTenant: false };
  return (component.rights.chosen ?? []).map(({ name, when, within, rules, where }: ChosenRights) => ({
    file: component.name,
    objects: [
      roleOf(component, { suffix: `-${name}`, rules, where }),
      bindingOf(component, everyone, { suffix: `-${name}`, within }),
    ],
    ...whenAll([...given, when]),
  }));
}

function placed(component: Component, placement: Placement): Manifest[] {
  const { namespace } = placement;
  const { port, openPorts } = component;
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
          { name: port.name, port: port.number, targetPort: port.name, protocol: 'TCP' },
          ...openPorts.map((each) =>
            ifOpen(each, { name: each.name, port: each.number, targetPort: each.name, protocol: 'TCP' }),
          ),
        ],
      },
    },
  ];
}

function bindingsOf(component: Component, placement: Placement): Manifest[] {
  const { isOfTenant, namespace } = placement;
  const { objects, cluster, home: own, shared = [], tenants = [] } = component.rights;
  return [
    ...(objects.length === 0
      ? []
      : [bindingOf(component, placement, { suffix: '', within: isOfTenant ? namespace : undefined })]),
    ...(cluster.length === 0 ? [] : [bindingOf(component, placement, { suffix: '-cluster', within: undefined })]),
    ...(tenants.length === 0 || isOfTenant
      ? []
      : [bindingOf(component, placement, { suffix: '-tenants', within: undefined })]),
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
