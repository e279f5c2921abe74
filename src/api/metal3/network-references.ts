import { type Static, Type } from 'typebox';
import { StringEnum, Struct, Text } from '../shapes.ts';

/** Both spellings of the kind that document 4 uses in references; they mean the same objects. */
export const switchPortConfigurationKinds = ['SwitchPortConfiguration', 'SwitchportConfiguration'] as const;

const name = { minLength: 1, maxLength: 253 };

/** A reference to a SwitchPort. */
export const SwitchPortReference = Struct(
  {
    name: Text('Name of the SwitchPort.', name),
    kind: Type.Optional(StringEnum(['SwitchPort'], { description: 'Kind of the port.', default: 'SwitchPort' })),
    namespace: Type.Optional(
      Text('Namespace of the SwitchPort; that of the object itself when empty.', { maxLength: 63 }),
    ),
  },
  { description: 'The switch port an interface is plugged into.' },
);

/** A reference to a SwitchPort. */
export type SwitchPortReference = Static<typeof SwitchPortReference>;

/** A reference to a SwitchPortConfiguration. */
export const SwitchPortConfigurationReference = Struct(
  {
    name: Text('Name of the SwitchPortConfiguration.', name),
    kind: Type.Optional(
      StringEnum(switchPortConfigurationKinds, {
        description: 'Kind of the configuration; both spellings mean the same kind.',
        default: 'SwitchPortConfiguration',
      }),
    ),
    namespace: Type.Optional(
      Text('Namespace of the configuration; that of the object itself when empty.', { maxLength: 63 }),
    ),
  },
  { description: 'A configuration for a switch port.' },
);

/** A reference to a SwitchPortConfiguration. */
export type SwitchPortConfigurationReference = Static<typeof SwitchPortConfigurationReference>;
