import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { ListMap, Struct, Text, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { VlanId, VlanRange } from './ranges.ts';

/** The one name a SwitchResourceLimit may have, which makes it the only one of its namespace. */
export const userLimitName = 'user-limit';

/** What the users of a namespace may use. */
export const SwitchResourceLimitSpec = Struct(
  { vlanRange: Type.Optional(VlanRange('VLANs the namespace may use; none when not given.')) },
  { description: 'What the namespace may use.' },
);

/** What the users of a namespace may use. */
export type SwitchResourceLimitSpec = Static<typeof SwitchResourceLimitSpec>;

/** What the users of a namespace do use. */
export const SwitchResourceLimitStatus = Struct(
  {
    observedGeneration: Type.Optional(Whole('The generation this status was computed from.', { format: 'int64' })),
    usedVLANRange: Type.Optional(Text('VLANs in use, such as `5-7, 9`.')),
    usedVLANs: Type.Optional(
      ListMap(
        Struct(
          { vlan: VlanId('The VLAN.'), ports: Whole('Ports of the namespace that carry it.', { minimum: 0 }) },
          { description: 'One VLAN in use.' },
        ),
        ['vlan'],
        { description: 'VLANs in use, with the number of ports that use them.', maxItems: 4094 },
      ),
    ),
    conditions: Type.Optional(Conditions('WithinLimit: no port of the namespace uses more than it may.')),
  },
  { description: 'What the namespace uses.' },
);

/** What the users of a namespace do use. */
export type SwitchResourceLimitStatus = Static<typeof SwitchResourceLimitStatus>;

/** The limit of a namespace. */
export type SwitchResourceLimit = CustomResource<
  Metal3ApiVersion,
  'SwitchResourceLimit',
  SwitchResourceLimitSpec,
  SwitchResourceLimitStatus
>;

/** SwitchResourceLimit; a namespace without one may use no VLAN. */
export const switchResourceLimit = declareKind({
  group: metal3Group,
  kind: 'SwitchResourceLimit',
  plural: 'switchresourcelimits',
  singular: 'switchresourcelimit',
  shortNames: ['srl'],
  scope: 'Namespaced',
  description: 'Which VLANs the users of a namespace may use. There is one in a namespace, named user-limit.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: SwitchResourceLimitSpec,
      status: SwitchResourceLimitStatus,
      required: ['spec'],
      rules: [
        {
          rule: `self.metadata.name == '${userLimitName}'`,
          message: `the name must be ${userLimitName}`,
        },
      ],
      hasStatusSubresource: true,
      columns: [
        { name: 'Allowed', type: 'string', jsonPath: '.spec.vlanRange', description: 'VLANs that may be used.' },
        { name: 'Used', type: 'string', jsonPath: '.status.usedVLANRange', description: 'VLANs in use.' },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'SwitchResourceLimit',
    metadata: { name: 'user-limit', namespace: 'user1' },
    spec: { vlanRange: '5-10' },
  },
});
