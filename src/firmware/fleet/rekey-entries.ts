import { firmwareKeys, type ServerFirmware, type ServerFirmwareGroup } from '../../api/index.ts';
import { type KubeClient, KubeError, type KubeObject, type ManagedFieldsEntry } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { resources } from '../resources.ts';

type FieldSet = Readonly<Record<string, unknown>>;

/**
 * Gives entries in managedFields that were written when an entry had fewer keys the keys of today. Without that the API
 * server would not know whose they are, and whoever takes one out of what they apply would leave it behind.
 */
export async function rekeyEntries(
  client: Pick<KubeClient, 'resource'>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  for (const resource of [resources.groups, resources.firmwares]) {
    const objects = client.resource<(ServerFirmware | ServerFirmwareGroup) & KubeObject>(resource);
    for await (const { items } of objects.pages({ signal })) {
      for (const { metadata } of items) {
        const managedFields = rekeyManagedFields(metadata.managedFields ?? []);
        if (managedFields === undefined) continue;
        const operations = [
          { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
          { op: 'replace', path: '/metadata/managedFields', value: managedFields },
        ] as const;
        const key = { name: metadata.name ?? '' };
        await objects.patch(key, { type: 'json', operations }, { signal }).catch((error: unknown) => {
          // Changed or deleted meanwhile: what is left is found at the next start.
          if (!(error instanceof KubeError)) throw error;
          logger.warn('the owners of entries of firmware were not renamed', {
            resource: resource.resource,
            ...key,
            error,
          });
        });
      }
    }
  }
}

/** The same owners by the keys of today; undefined where they are known by these already. */
export function rekeyManagedFields(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] | undefined {
  const rekeyed = entries.map((entry) => {
    const fields = rekeyFields(entry.fieldsV1);
    return fields === undefined ? entry : { ...entry, fieldsV1: fields };
  });
  return rekeyed.some((entry, at) => entry !== entries[at]) ? (rekeyed as ManagedFieldsEntry[]) : undefined;
}

function rekeyFields(fields: unknown): FieldSet | undefined {
  const spec = child(fields, 'f:spec');
  const firmwares = child(spec, 'f:firmwares');
  if (!isFieldSet(fields) || !Object.keys(firmwares).some(isOlder)) return undefined;
  const renamed = Object.entries(firmwares).map(([element, owned]) => [
    isOlder(element) ? rekey(element) : element,
    owned,
  ]);
  return { ...fields, 'f:spec': { ...spec, 'f:firmwares': Object.fromEntries(renamed) } };
}

function isOlder(element: string): boolean {
  return element.startsWith('k:') && firmwareKeys.some((key) => !(key in keysIn(element)));
}

/** Keys stand in the order of the alphabet. */
function rekey(element: string): string {
  const known = keysIn(element);
  const keys = firmwareKeys.toSorted().map((key) => [key, known[key] ?? '']);
  return `k:${JSON.stringify(Object.fromEntries(keys))}`;
}

function keysIn(element: string): FieldSet {
  const keys: unknown = JSON.parse(element.slice(2));
  return isFieldSet(keys) ? keys : {};
}

function child(fields: unknown, name: string): FieldSet {
  const value = isFieldSet(fields) ? fields[name] : undefined;
  return isFieldSet(value) ? value : {};
}

function isFieldSet(value: unknown): value is FieldSet {
  return typeof value === 'object' && value !== null;
}
