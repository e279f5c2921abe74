import {
  type FieldError,
  forbiddenError,
  invalidError,
  type JsonSchema,
  labelValueFaults,
  qualifiedNameFaults,
} from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy } from '../resource.ts';
import { effectFaults } from './pod-validation.ts';
import { quantityFaults } from './resource-validation.ts';
import { ageColumn, ageOf, nameColumn, textColumn } from './table.ts';

interface Taint {
  key?: string;
  value?: string;
  effect?: string;
}

/** Where nodes are stored. */
export const nodeBucket = '/nodes';

/** A node. */
export interface Node extends KubeObject {
  spec?: { podCIDR?: string; podCIDRs?: string[]; providerID?: string; unschedulable?: boolean; taints?: Taint[] };
  status?: {
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    addresses?: { type: string; address: string }[];
    conditions?: NodeCondition[];
    nodeInfo?: Record<string, string>;
  };
}

interface NodeCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
}

function validate(node: Node): FieldError[] {
  return [...taintFaults(node.spec?.taints ?? []), ...amountFaults(node), ...cidrFaults(node.spec?.podCIDRs ?? [])];
}

/** kube-apiserver names the taints as if they were metadata. */
function taintFaults(taints: Taint[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { key = '', value = '', effect = '' }] of taints.entries()) {
    const path = `metadata.taints[${index}]`;
    for (const fault of qualifiedNameFaults(key)) errors.push(invalidError(`${path}.key`, key, fault));
    const faults = labelValueFaults(value);
    if (faults.length > 0) errors.push(invalidError(`${path}.value`, value, faults.join(';')));
    errors.push(...effectFaults(effect, `${path}.effect`));
    const pair = `${key}:${effect}`;
    if (seen.has(pair)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: null };
      errors.push({
        reason: 'FieldValueDuplicate',
        field: path,
        badValueText: JSON.stringify(shown),
        detail: 'taints must be unique by key and effect pair',
      });
    }
    seen.add(pair);
  }
  return errors;
}

function amountFaults({ status = {} }: Node): FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(status[list] ?? {}).flatMap(([name, amount]) =>
      quantityFaults(name, amount, `status.${list}.${name}`),
    ),
  );
}

function cidrFaults(cidrs: string[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, cidr] of cidrs.entries()) {
    if (/^[0-9a-fA-F:.]+\/\d+$/.test(cidr)) continue;
    const words = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
    errors.push(invalidError(`spec.podCIDRs[${index}]`, cidr, words));
  }
  const families = cidrs.map((cidr) => cidr.includes(':'));
  if (new Set(families).size < families.length) {
    errors.push(invalidError('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

function validateUpdate(node: Node, old: Node): FieldError[] {
  const errors = amountFaults(node);
  const was = old.spec?.podCIDRs ?? [];
  const is = node.spec?.podCIDRs ?? [];
  if (was.length > 0 && JSON.stringify(was) !== JSON.stringify(is)) {
    errors.push(forbiddenError('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  const provider = old.spec?.providerID ?? '';
  if (provider !== '' && provider !== node.spec?.providerID) {
    errors.push(forbiddenError('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  return [...errors, ...taintFaults(node.spec?.taints ?? [])];
}

const strategy: Strategy = {
  applyDefaults(node: Node) {
    const { spec, status } = node;
    if (spec?.podCIDR !== undefined && spec.podCIDRs === undefined) spec.podCIDRs = [spec.podCIDR];
    if (spec?.podCIDRs?.[0] !== undefined) spec.podCIDR = spec.podCIDRs[0];
    if (status?.capacity !== undefined && status.allocatable === undefined) status.allocatable = { ...status.capacity };
  },
  prepareForUpdate(node: Node, old: Node) {
    if (old.status !== undefined) node.status = old.status;
  },
  validate,
  validateUpdate,
  validateStatusUpdate: validateUpdate,
  selectableFields: { 'spec.unschedulable': (node: Node) => String(node.spec?.unschedulable ?? false) },
};

const rolePrefix = 'node-role.kubernetes.io/';

function rolesOf(node: Node): string {
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key === rolePrefix ? [] : [key.slice(rolePrefix.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return roles.length === 0 ? '<none>' : [...new Set(roles)].sort().join(',');
}

function statusOf(node: Node): string {
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function addressOf(node: Node, type: string): string {
  return node.status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
}

/** Nodes. */
export function nodes(schema: JsonSchema): BuiltinResource {
  const known = (text: string | undefined): string => (text === undefined || text === '' ? '<unknown>' : text);
  return {
    group: '',
    version: 'v1',
    resource: 'nodes',
    singular: 'node',
    kind: 'Node',
    namespaced: false,
    shortNames: ['no'],
    hasStatus: true,
    schema,
    strategy,
    table: {
      columns: [
        nameColumn,
        textColumn('Status', 'Whether it takes pods.'),
        textColumn('Roles', 'What it is there for.'),
        ageColumn,
        textColumn('Version', 'The version of its kubelet.'),
        textColumn('Internal-IP', 'Its address inside the cluster.', 1),
        textColumn('External-IP', 'Its address outside the cluster.', 1),
        textColumn('OS-Image', 'Its operating system.', 1),
        textColumn('Kernel-Version', 'Its kernel.', 1),
        textColumn('Container-Runtime', 'What runs its containers.', 1),
      ],
      row: (node: Node, now) => [
        node.metadata.name,
        statusOf(node),
        rolesOf(node),
        ageOf(node, now),
        node.status?.nodeInfo?.kubeletVersion ?? '',
        addressOf(node, 'InternalIP'),
        addressOf(node, 'ExternalIP'),
        known(node.status?.nodeInfo?.osImage),
        known(node.status?.nodeInfo?.kernelVersion),
        known(node.status?.nodeInfo?.containerRuntimeVersion),
      ],
    },
  };
}
