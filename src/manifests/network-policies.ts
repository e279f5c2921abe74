import { jobLabels } from '../api/index.ts';
import { type Component, home } from './component.ts';
import { partsOf } from './component-parts.ts';
import type { Condition } from './condition.ts';
import { ifOpen, nameOf } from './deployment.ts';
import { labelsOf, selectorOf } from './labels.ts';
import { Optional, type Part, type Template, tenant, value } from './template.ts';
import { updateService } from './update-service.ts';
import { areJobsInCluster, isUpdateServiceEnabled } from './update-service-values.ts';

type Manifest = Record<string, Template>;

const isAsked: Condition = { is: 'networkPolicies.enabled' };

/** Who may talk to a component, and whom it may talk to where that can be said beforehand. */
function networkPolicyOf(component: Component, namespace: string): Manifest {
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
          from: [{ namespaceSelector: { matchLabels: value('networkPolicies.metricsFrom') } }, ...component.callers],
          ports: [{ protocol: 'TCP', port: component.port.name }],
        },
        ...namedCallersOf(component),
        // API servers and BMCs come from addresses that no selector knows; they show nothing but what they ask.
        ...component.openPorts.map((port) => ifOpen(port, { ports: [{ protocol: 'TCP', port: port.name }] })),
      ],
      ...(isConfined ? { egress: [{ ports: value('networkPolicies.egressPorts') }] } : {}),
    },
  };
}

/** Whoever values name besides. */
function namedCallersOf({ name, port }: Component): Template[] {
  if (name !== updateService.name) return [];
  const rule = { from: value('updateService.callers'), ports: [{ protocol: 'TCP', port: port.name }] };
  return [new Optional({ is: 'updateService.callers' }, rule)];
}

/** The network policies of a component, where they are asked for. */
export function policyPartsOf(component: Component): Part[] {
  return partsOf(component)
    .filter(({ objects }) => objects.some(({ kind }) => kind === 'Deployment'))
    .map(({ when, isPerTenant = false }) => ({
      file: 'network-policies',
      isPerTenant,
      when: when === undefined ? isAsked : { all: [isAsked, when] },
      objects: [networkPolicyOf(component, isPerTenant ? tenant : home)],
    }));
}

/** Jobs are asked to stop by the update service, and by nobody else. */
export const jobPolicyPart: Part = {
  file: 'network-policies',
  when: { all: [isAsked, isUpdateServiceEnabled, areJobsInCluster] },
  objects: [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: {
        name: 'rackwright-jobs',
        namespace: value('updateService.jobs.namespace'),
        labels: labelsOf(updateService.name),
      },
      spec: {
        podSelector: { matchLabels: jobLabels },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              {
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': home } },
                podSelector: { matchLabels: selectorOf(updateService.name) },
              },
            ],
            ports: [{ protocol: 'TCP', port: 'task' }],
          },
        ],
      },
    },
  ],
};
