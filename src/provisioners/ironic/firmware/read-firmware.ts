import type { FirmwareComponentSeen, FirmwareSettingSchema, FirmwareSettingsSeen, Outcome } from '../../provisioner.ts';
import { isIronicError, type JsonObject, numberOf, objectOf, objectsOf, textOf, textsOf } from '../client/index.ts';
import type { IronicNode } from '../node/index.ts';
import { findNode, type Workplace } from '../workplace.ts';

const attributeTypes = ['Enumeration', 'String', 'Integer', 'Boolean', 'Password'] as const;

/** The BIOS settings that Ironic read last, and what they may be. */
export async function readFirmwareSettings(place: Workplace): Promise<Outcome<FirmwareSettingsSeen>> {
  const node = await findNode(place);
  if (node === undefined) return { kind: 'unregistered' };
  const settings = await readList(place, `/nodes/${node.uuid}/bios?detail=True`, 'bios');
  const properties = objectOf(node.raw.properties);
  return {
    kind: 'done',
    value: {
      settings: Object.fromEntries(settings.map((each) => [textOf(each.name) ?? '', shown(each.value)])),
      schema: Object.fromEntries(settings.map((each) => [textOf(each.name) ?? '', schemaOf(each)])),
      vendor: textOf(properties.vendor),
      model: textOf(properties.model),
    },
  };
}

/** The firmware components that Ironic read last. */
export async function readFirmwareComponents(place: Workplace): Promise<Outcome<readonly FirmwareComponentSeen[]>> {
  const node = await findNode(place);
  if (node === undefined) return { kind: 'unregistered' };
  const components = await readList(place, `/nodes/${node.uuid}/firmware`, 'firmware');
  return { kind: 'done', value: components.map(componentOf) };
}

/** The versions that Ironic last read, by component. */
export async function readVersions(place: Workplace, node: IronicNode): Promise<Readonly<Record<string, string>>> {
  const components = await readList(place, `/nodes/${node.uuid}/firmware`, 'firmware');
  const known = components.map((each) => [textOf(each.component) ?? '', textOf(each.current_version) ?? ''] as const);
  return Object.fromEntries(known.filter(([component, version]) => component !== '' && version !== ''));
}

/** A driver that has none of it says so with an error. */
async function readList(place: Workplace, path: string, member: string): Promise<readonly JsonObject[]> {
  try {
    return objectsOf((await place.client.call({ method: 'GET', path }))[member]);
  } catch (error) {
    if (isIronicError(error, 'absent')) return [];
    throw error;
  }
}

function shown(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function schemaOf(setting: JsonObject): FirmwareSettingSchema {
  const type = attributeTypes.find((each) => each === setting.attribute_type);
  const allowed = textsOf(setting.allowable_values);
  const numbers = Object.fromEntries(
    (['lower_bound', 'upper_bound', 'min_length', 'max_length'] as const).flatMap((name) => {
      const value = numberOf(setting[name]);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  return {
    ...(type === undefined ? {} : { attribute_type: type }),
    ...(allowed.length === 0 ? {} : { allowable_values: allowed }),
    ...numbers,
    ...(typeof setting.read_only === 'boolean' ? { read_only: setting.read_only } : {}),
    ...(typeof setting.unique === 'boolean' ? { unique: setting.unique } : {}),
  };
}

function componentOf(raw: JsonObject): FirmwareComponentSeen {
  const current = textOf(raw.current_version);
  const flashed = textOf(raw.last_version_flashed);
  const updatedAtMs = Date.parse(textOf(raw.updated_at) ?? '');
  return {
    component: textOf(raw.component) ?? '',
    initialVersion: textOf(raw.initial_version) ?? '',
    ...(current === undefined ? {} : { currentVersion: current }),
    ...(flashed === undefined ? {} : { lastVersionFlashed: flashed }),
    ...(Number.isNaN(updatedAtMs) ? {} : { updatedAt: new Date(updatedAtMs).toISOString().replace(/\.\d+Z$/, 'Z') }),
  };
}
