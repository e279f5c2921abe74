import { type ClusterRole, clusterRole, type PolicyRule } from './roles.ts';

/** The group of the resources that REST services ask about; no API server serves them, only roles name them. */
export const serviceGroup = 'rackwright.io';

/** What is behind REST services, credentials and the API of workers apart. */
const plainResources = [
  'servers',
  'servers/attributes',
  'servers/components',
  'servercomponenttypes',
  'credentialtypes',
  'firmware',
  'firmwaresets',
  'biosconfigsets',
  'conditions',
  'events',
  'billsofmaterials',
] as const;

const readVerbs = ['get', 'list'] as const;
const changeVerbs = ['create', 'update', 'delete'] as const;

/**
 * The roles of whoever uses the REST services beside a Kubernetes API. They flow into no built-in role: work on servers
 * and their inventory concern the whole fleet, whoever has a namespace.
 */
export function serviceRoles(): ClusterRole[] {
  return [
    clusterRole(
      'rackwright-rest-viewer',
      'Reads inventory, firmware and work on servers; no credentials.',
      viewerRules,
    ),
    clusterRole(
      'rackwright-rest-operator',
      'Reads everything but credentials; orders, changes and cancels work on servers, with images that the catalogue has.',
      [...viewerRules, rule(['conditions'], changeVerbs)],
    ),
    clusterRole(
      'rackwright-rest-admin',
      'Keeps inventory and firmware, and orders work; no credentials, so no addresses of BMCs that have any.',
      [...viewerRules, rule(plainResources, changeVerbs)],
    ),
    clusterRole(
      'rackwright-rest-credentials',
      'Reads and writes the credentials of BMCs; with rackwright-rest-admin, enrols servers and changes addresses of BMCs.',
      [rule(['servers/credentials'], [...readVerbs, ...changeVerbs])],
    ),
    clusterRole(
      'rackwright-rest-worker',
      'What a flasher needs that works for a conditionorc: work, BMC addresses and their credentials.',
      [rule(['workers'], ['update']), rule(['servers', 'servers/credentials', 'firmwaresets'], ['get'])],
    ),
    clusterRole(
      'rackwright-report-unfenced',
      'Tells the update service what is installed or can be had without being a job of it.',
      [rule(['unfencedreports'], ['create'])],
    ),
  ];
}

const viewerRules: readonly PolicyRule[] = [rule([...plainResources, 'workers', 'metrics'], readVerbs)];

function rule(resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [serviceGroup], resources, verbs };
}
