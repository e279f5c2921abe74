import type { BuiltinResource } from '../resource.ts';
import { configMaps } from './config-maps.ts';
import { customResourceDefinitions } from './custom-resource-definitions.ts';
import { coreEvents, newerEvents } from './events.ts';
import { jobs } from './jobs.ts';
import { leases } from './leases.ts';
import { namespaces } from './namespaces.ts';
import { nodes } from './nodes.ts';
import { podDisruptionBudgets } from './pod-disruption-budgets.ts';
import { pods } from './pods.ts';
import { rbacResources } from './rbac.ts';
import { type BuiltinSchemas, loadBuiltinSchemas } from './schemas.ts';
import { secrets } from './secrets.ts';
import { serviceAccounts } from './service-accounts.ts';
import { webhookConfigurations } from './webhook-configurations.ts';

/** Every kind compiled into the server. */
export function builtinResources(schemas: BuiltinSchemas = loadBuiltinSchemas()): BuiltinResource[] {
  const core = (kind: string) => schemas.of('api/v1', kind);
  const grouped = (group: string, kind: string) => schemas.of(`apis/${group}/v1`, kind);
  const hooks = (kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration') =>
    webhookConfigurations(kind, grouped('admissionregistration.k8s.io', kind));
  return [
    namespaces(core('Namespace')),
    configMaps(core('ConfigMap')),
    secrets(core('Secret')),
    serviceAccounts(core('ServiceAccount')),
    nodes(core('Node')),
    pods(core('Pod')),
    coreEvents(core('Event')),
    newerEvents(grouped('events.k8s.io', 'Event')),
    jobs(grouped('batch', 'Job')),
    podDisruptionBudgets(grouped('policy', 'PodDisruptionBudget')),
    leases(grouped('coordination.k8s.io', 'Lease')),
    ...rbacResources((kind) => grouped('rbac.authorization.k8s.io', kind)),
    hooks('ValidatingWebhookConfiguration'),
    hooks('MutatingWebhookConfiguration'),
    customResourceDefinitions(grouped('apiextensions.k8s.io', 'CustomResourceDefinition')),
  ];
}
