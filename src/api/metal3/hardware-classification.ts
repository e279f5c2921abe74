import { type Static, Type } from 'typebox';
import { ageColumn, declareKind } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { Struct, Text, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { HardwareCharacteristics } from './hardware-characteristics.ts';

/** In front of the name of a HardwareClassification: the label that hosts get which match it. */
export const classificationLabelPrefix = 'hardwareclassification.metal3.io/';

/** What hosts are sorted by. */
export const HardwareClassificationSpec = Struct(
  { hardwareCharacteristics: HardwareCharacteristics },
  { description: 'What hosts are sorted by. Where nothing is asked for, nothing matches.' },
);

/** What hosts are sorted by. */
export type HardwareClassificationSpec = Static<typeof HardwareClassificationSpec>;

/** How hosts were sorted. */
export const HardwareClassificationStatus = Struct(
  {
    profileMatchStatus: Type.Optional(Text('`matched`, `unmatched` or `No BareMetalHosts Found`.')),
    matchedCount: Type.Optional(Whole('Hosts of the namespace that match.', { minimum: 0 })),
    unmatchedCount: Type.Optional(Whole('Hosts of the namespace that do not match.', { minimum: 0 })),
    errorHosts: Type.Optional(Whole('Hosts that are in error and have told no hardware.', { minimum: 0 })),
    errorType: Type.Optional(Text('What is wrong with this object: `Empty Profile Error`.')),
    errorMessage: Type.Optional(Text('The same in a sentence.')),
  },
  { description: 'How hosts were sorted.' },
);

/** How hosts were sorted. */
export type HardwareClassificationStatus = Static<typeof HardwareClassificationStatus>;

/** Labels the hosts of its namespace by their hardware. */
export type HardwareClassification = CustomResource<
  Metal3ApiVersion,
  'HardwareClassification',
  HardwareClassificationSpec,
  HardwareClassificationStatus
>;

/** HardwareClassification, as Metal3 has it. */
export const hardwareClassification = declareKind({
  group: metal3Group,
  kind: 'HardwareClassification',
  plural: 'hardwareclassifications',
  singular: 'hardwareclassification',
  shortNames: ['hwc', 'hc'],
  scope: 'Namespaced',
  description:
    'Labels the BareMetalHosts of its namespace whose hardware is as asked for `hardwareclassification.metal3.io/NAME: matches`. A label of its own with its own name as the key says another value than `matches`.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: HardwareClassificationSpec,
      status: HardwareClassificationStatus,
      rules: [
        {
          rule: 'size(self.metadata.name) <= 63',
          message: 'the name becomes that of a label: at most 63 characters',
          reason: 'FieldValueInvalid' as const,
        },
      ],
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        {
          name: 'ProfileMatchStatus',
          type: 'string',
          jsonPath: '.status.profileMatchStatus',
          description: 'Whether any host matches.',
        },
        { name: 'MatchedHosts', type: 'integer', jsonPath: '.status.matchedCount', description: 'Hosts that match.' },
        {
          name: 'UnmatchedHosts',
          type: 'integer',
          jsonPath: '.status.unmatchedCount',
          description: 'Hosts that do not match.',
        },
        { name: 'ErrorHosts', type: 'integer', jsonPath: '.status.errorHosts', description: 'Hosts in error.' },
        { name: 'Error', type: 'string', jsonPath: '.status.errorMessage', description: 'What is wrong with it.' },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'HardwareClassification',
    metadata: { name: 'storage-node', namespace: 'fleet' },
    spec: {
      hardwareCharacteristics: {
        cpu: { minimumCount: 32 },
        ram: { minimumSizeGB: 128 },
        disk: { minimumCount: 4, minimumIndividualSizeGB: 1000, diskSelector: [{ type: 'NVME' }] },
        nic: { minimumCount: 2, minimumSpeedGbps: 25 },
      },
    },
  },
});
