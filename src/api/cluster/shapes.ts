import { Type } from 'typebox';
import { Conditions } from '../condition.ts';
import {
  describe,
  Flag,
  List,
  ListMap,
  MapOf,
  type SchemaOptions,
  StringEnum,
  Struct,
  Text,
  Time,
  Whole,
} from '../declare.ts';
import { ObjectReference } from '../references.ts';

const dnsName = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const qualifiedName =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

/** A whole number of 32 bits. */
export function Int32(description: string, options: SchemaOptions = {}) {
  return Whole(description, { format: 'int32', ...options });
}

/** A count that cannot be negative. */
export function Count(description: string, options: SchemaOptions = {}) {
  return Type.Optional(Int32(description, { minimum: 0, ...options }));
}

/** The generation a status was computed from. */
export const ObservedGeneration = Type.Optional(
  Whole('metadata.generation last looked at.', { format: 'int64', minimum: 0 }),
);

/** A length of time as Go writes it: `10m`, `1h30m0s`, `0s`. */
export function GoDuration(description: string) {
  return Text(description, { maxLength: 64, pattern: '^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$' });
}

/** A name as DNS allows it. */
export function DnsName(description: string, maxLength = 253) {
  return Text(description, { minLength: 1, maxLength, pattern: dnsName });
}

/** The name of the Cluster an object belongs to; it cannot be changed. */
export const ClusterName = Text('Name of the Cluster this belongs to.', {
  minLength: 1,
  maxLength: 63,
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'clusterName is immutable' }],
});

/** A Kubernetes version such as `v1.34.4`. */
export const KubernetesVersion = Text('Kubernetes version, such as v1.34.4.', {
  minLength: 1,
  maxLength: 256,
  pattern: '^v?(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)([-0-9a-zA-Z_.+]*)?$',
});

/** A reference by group, kind and name; which version is meant follows from the contract (v1beta2). */
export function ContractReference(description: string) {
  return Struct(
    {
      apiGroup: DnsName('API group of the object.'),
      kind: Text('Kind of the object.', {
        minLength: 1,
        maxLength: 63,
        pattern: '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$',
      }),
      name: DnsName('Name of the object; it is in the same namespace.'),
    },
    { description },
  );
}

/** A full object reference (v1beta1). */
export function FullReference(description: string) {
  return describe(ObjectReference, description);
}

/** The conditions of v1beta1: with a severity, and reason and message that may be left out. */
export const LegacyConditions = List(
  Struct({
    type: Text('What the condition is about.', { minLength: 1, maxLength: 256 }),
    status: Text('True, False or Unknown.'),
    severity: Type.Optional(Text('How bad it is: Error, Warning, Info or empty.', { maxLength: 32 })),
    lastTransitionTime: Time({ description: 'When the status last changed.' }),
    reason: Type.Optional(Text('One word for programs.', { minLength: 1, maxLength: 256 })),
    message: Type.Optional(Text('A sentence for people.', { minLength: 1, maxLength: 10240 })),
  }),
  { description: 'Conditions in the shape of v1beta1.' },
);

/** `failureReason` and `failureMessage`: an error that does not go away by itself. */
export const failureFields = {
  failureReason: Type.Optional(Text('One word for an error that does not go away by itself.')),
  failureMessage: Type.Optional(
    Text('A sentence on an error that does not go away by itself.', { minLength: 1, maxLength: 10240 }),
  ),
};

/** `status.deprecated` of v1beta2: what only v1beta1 has. */
export function Deprecated<P extends Parameters<typeof Struct>[0]>(fields: P) {
  return Type.Optional(
    Struct(
      {
        v1beta1: Type.Optional(
          Struct(
            { conditions: Type.Optional(LegacyConditions), ...fields },
            { description: 'What goes when v1beta1 goes.' },
          ),
        ),
      },
      { description: 'Fields that are on their way out.' },
    ),
  );
}

/** `status.v1beta2` of v1beta1: what only v1beta2 has. */
export function Upcoming<P extends Parameters<typeof Struct>[0]>(fields: P) {
  return Type.Optional(
    Struct(
      { conditions: Type.Optional(Conditions('Conditions in the shape of v1beta2.')), ...fields },
      { description: 'Fields that v1beta2 has in status itself.' },
    ),
  );
}

/** Attributes that failure domains have in both versions. */
const failureDomainFields = {
  controlPlane: Type.Optional(Flag('Whether control plane machines may be put here.')),
  attributes: Type.Optional(MapOf(Type.String(), { description: 'Free-form attributes for users of the domain.' })),
};

/** Failure domains as a list with names (v1beta2). */
export const FailureDomainList = ListMap(
  Struct({ name: Text('Name of the failure domain.', { minLength: 1, maxLength: 256 }), ...failureDomainFields }),
  ['name'],
  { description: 'Failure domains machines can be spread over.', minItems: 1, maxItems: 100 },
);

/** Failure domains as a map by name (v1beta1). */
export const FailureDomainMap = MapOf(Struct(failureDomainFields), {
  description: 'Failure domains machines can be spread over, by name.',
});

/** The failure domain a machine is in or should be in. */
export const FailureDomainName = Text('Failure domain of the machine.', { minLength: 1, maxLength: 256 });

/** The id of a machine's node, given by the provider. */
export const ProviderId = Text('Id of the machine as its node has it, such as metal3://namespace/host/machine.', {
  minLength: 1,
  maxLength: 512,
});

/** The addresses of a machine. */
export const MachineAddresses = List(
  Struct({
    type: StringEnum(['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS'], {
      description: 'What kind of address it is.',
    }),
    address: Text('The address.', { minLength: 1, maxLength: 256 }),
  }),
  { description: 'Addresses of the machine.', maxItems: 256, 'x-kubernetes-list-type': 'atomic' },
);

/** Conditions that must hold besides the usual ones. */
export function Gates(description: string, options: SchemaOptions = {}) {
  return ListMap(
    Struct({
      conditionType: Text('Type of the condition.', { minLength: 1, maxLength: 316, pattern: qualifiedName }),
      polarity: Type.Optional(
        StringEnum(['Positive', 'Negative'], { description: 'Negative: the condition must be False.' }),
      ),
    }),
    ['conditionType'],
    { description, maxItems: 32, ...options },
  );
}

/** Taints that the nodes of machines get. */
export const NodeTaints = ListMap(
  Struct({
    key: Text('Key of the taint.', { minLength: 1, maxLength: 317, pattern: qualifiedName }),
    value: Type.Optional(
      Text('Value of the taint.', {
        minLength: 1,
        maxLength: 63,
        pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$',
      }),
    ),
    effect: StringEnum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], { description: 'Effect of the taint.' }),
    propagation: StringEnum(['Always', 'OnInitialization'], {
      description: 'Whether the taint is kept on the node or only put there once.',
    }),
  }),
  ['key', 'effect'],
  { description: 'Taints for the node.', minItems: 1, maxItems: 64 },
);

/** Labels and annotations of objects made from a template. */
export function TemplateMetadata(options: SchemaOptions = {}) {
  return Struct(
    {
      labels: Type.Optional(
        MapOf(Type.String({ maxLength: 63 }), { description: 'Labels for the objects.', maxProperties: 128 }),
      ),
      annotations: Type.Optional(MapOf(Type.String(), { description: 'Annotations for the objects.' })),
    },
    { description: 'Metadata for the objects.', ...options },
  );
}

/** How many machines run which Kubernetes version. */
export const VersionCounts = ListMap(
  Struct({
    version: Text('Kubernetes version.', { minLength: 1, maxLength: 256 }),
    replicas: Type.Optional(Int32('How many machines run it.', { minimum: 1 })),
  }),
  ['version'],
  { description: 'How many machines run which version.', minItems: 1, maxItems: 100 },
);

/** The scale subresource of MachineSet and MachineDeployment. */
export const scalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
} as const;

/** JSON path of the status of one condition, for a printer column. */
export function conditionPath(type: string): string {
  return `.status.conditions[?(@.type=="${type}")].status`;
}
