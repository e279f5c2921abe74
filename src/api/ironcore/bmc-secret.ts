import { type Static, Type } from 'typebox';
import { ageColumn, declareKind, Flag, MapOf, Struct, Text } from '../declare.ts';
import type { ObjectMeta } from '../object.ts';
import { type IroncoreApiVersion, ironcoreApiVersion, ironcoreGroup, ironcoreVersion } from './names.ts';

/** Keys of a BMCSecret's data. */
export const bmcSecretKeys = { username: 'username', password: 'password' } as const;

/** The parts of a BMCSecret. It has no spec: it is laid out like a core Secret. */
export const BMCSecretParts = {
  immutable: Type.Optional(Flag('When true, data can no longer be changed; only metadata can.')),
  data: Type.Optional(
    MapOf(Type.String({ format: 'byte', maxLength: 65536 }), {
      description: 'The secret values, base64-encoded: username and password.',
      maxProperties: 32,
    }),
  ),
  stringData: Type.Optional(
    MapOf(Type.String({ maxLength: 65536 }), {
      description: 'Values in plain text, for writing only: merged into data and then dropped.',
      maxProperties: 32,
    }),
  ),
  type: Type.Optional(Text('What the secret is for, for programs.', { maxLength: 253 })),
};

const Contents = Struct(BMCSecretParts);

/** A BMCSecret object. */
export interface BMCSecret extends Static<typeof Contents> {
  apiVersion: IroncoreApiVersion;
  kind: 'BMCSecret';
  metadata: ObjectMeta;
}

/** BMCSecret: the credentials of BMCs. */
export const bmcSecret = declareKind({
  group: ironcoreGroup,
  kind: 'BMCSecret',
  plural: 'bmcsecrets',
  singular: 'bmcsecret',
  scope: 'Cluster',
  description: 'The credentials of one or more BMCs. Protected like a Secret.',
  versions: [
    {
      version: ironcoreVersion,
      storage: true,
      extra: BMCSecretParts,
      rules: [
        {
          rule: '!has(oldSelf.immutable) || !oldSelf.immutable || (has(self.immutable) && self.immutable)',
          message: 'immutable cannot be unset once it is true',
          reason: 'FieldValueForbidden',
          fieldPath: '.immutable',
        },
        {
          rule: '!has(oldSelf.immutable) || !oldSelf.immutable || (has(self.data) == has(oldSelf.data) && (!has(self.data) || self.data == oldSelf.data))',
          message: 'data cannot be changed when immutable is true',
          reason: 'FieldValueForbidden',
          fieldPath: '.data',
        },
        {
          rule: '!has(oldSelf.immutable) || !oldSelf.immutable || !has(self.stringData) || (has(oldSelf.stringData) && self.stringData == oldSelf.stringData)',
          message: 'data cannot be changed when immutable is true',
          reason: 'FieldValueForbidden',
          fieldPath: '.stringData',
        },
      ],
      hasStatusSubresource: false,
      columns: [ageColumn],
    },
  ],
  example: {
    apiVersion: ironcoreApiVersion,
    kind: 'BMCSecret',
    metadata: { name: 'rack1-bmcs' },
    data: { username: 'YWRtaW4=', password: 'Y2hhbmdlLW1l' },
  },
});
