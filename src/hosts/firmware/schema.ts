import { createHash } from 'node:crypto';
import { type FirmwareSchema, type FirmwareSchemaSpec, metal3ApiVersion } from '../../api/index.ts';
import type { FirmwareSettingsSeen } from '../../provisioners/index.ts';

/** The name of a schema: hosts whose settings take the same values share one. */
export function schemaName(schema: FirmwareSettingsSeen['schema']): string {
  const sorted = Object.keys(schema)
    .sort()
    .map((name) => {
      const attributes = schema[name] ?? {};
      const fields = Object.entries(attributes).filter(([, value]) => value !== undefined);
      return [name, fields.sort(([one], [other]) => (one < other ? -1 : 1))];
    });
  const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  return `schema-${digest.slice(0, 8)}`;
}

/** The object of a schema. It has no owner: one that every host would have to write its name into is shared by none. */
export function schemaObject(namespace: string, seen: FirmwareSettingsSeen): FirmwareSchema {
  const spec: FirmwareSchemaSpec = {
    ...(seen.vendor === undefined ? {} : { hardwareVendor: seen.vendor }),
    ...(seen.model === undefined ? {} : { hardwareModel: seen.model }),
    schema: structuredClone(seen.schema) as FirmwareSchemaSpec['schema'],
  };
  const metadata = { namespace, name: schemaName(seen.schema) };
  return { apiVersion: metal3ApiVersion, kind: 'FirmwareSchema', metadata, spec };
}
