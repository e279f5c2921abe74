import type { Machine } from '../../machine/machine.ts';
import type { BiosAttribute } from '../../personalities/personality.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { refuseMissing } from './errors.ts';
import { type MessageRegistry, messageRegistries } from './message-registries.ts';
import { root } from './paths.ts';
import { collection, head, show } from './render.ts';

const service = `${root}/Registries`;

/** Registries: the messages, and the BIOS attributes of the personality. */
export const registryRoutes: readonly Route[] = [
  {
    pattern: service,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'MessageRegistryFile' },
        [...Object.keys(messageRegistries), machine.personality.ids.biosRegistry].map((id) => `${path}/${id}`),
      ),
  },
  { pattern: `${service}/:registry`, get: showFile },
  { pattern: `${service}/:registry/:file`, get: showRegistry },
];

function findRegistry({ machine, params }: RedfishRequest): MessageRegistry | 'bios' | undefined {
  const id = String(params.registry);
  if (id === machine.personality.ids.biosRegistry) return 'bios';
  return Object.hasOwn(messageRegistries, id) ? messageRegistries[id] : undefined;
}

function showFile(request: RedfishRequest): RedfishAnswer {
  const { path, params } = request;
  const registry = findRegistry(request);
  if (registry === undefined) return refuseMissing(path);
  const id = String(params.registry);
  return show(request, 'MessageRegistryFile', {
    ...head({ path, schema: 'MessageRegistryFile.v1_1_0', id, name: `${id} Registry File` }),
    Description: registry === 'bios' ? 'BIOS attribute registry' : `${registry.prefix} message registry`,
    Languages: ['en'],
    'Languages@odata.count': 1,
    // Attribute registries are looked up by their whole name, message registries by prefix and minor version.
    Registry: registry === 'bios' ? id : id.slice(0, id.lastIndexOf('.')),
    Location: [{ Language: 'en', Uri: `${path}/${id}.json` }],
    'Location@odata.count': 1,
  });
}

function showRegistry(request: RedfishRequest): RedfishAnswer {
  const { path, params, machine } = request;
  const registry = findRegistry(request);
  if (registry === undefined || params.file !== `${params.registry}.json`) return refuseMissing(path);
  if (registry === 'bios') return show(request, 'AttributeRegistry', renderAttributes(machine, path));
  return { status: 200, body: renderMessages(registry, { path, id: String(params.registry) }) };
}

function renderMessages(registry: MessageRegistry, at: { readonly path: string; readonly id: string }): JsonObject {
  return {
    ...head({
      path: at.path,
      schema: 'MessageRegistry.v1_4_0',
      id: at.id,
      name: `${registry.prefix} Message Registry`,
    }),
    Language: 'en',
    RegistryPrefix: registry.prefix,
    RegistryVersion: registry.version,
    OwningEntity: 'DMTF',
    Messages: Object.fromEntries(
      Object.entries(registry.messages).map(([key, template]) => [
        key,
        {
          Description: template.message,
          Message: template.message,
          Severity: template.severity,
          MessageSeverity: template.severity,
          NumberOfArgs: template.paramTypes?.length ?? 0,
          ParamTypes: [...(template.paramTypes ?? [])],
          Resolution: template.resolution,
        },
      ]),
    ),
  };
}

function renderAttributes({ personality, hardware, firmware }: Machine, path: string): JsonObject {
  const id = personality.ids.biosRegistry;
  return {
    ...head({ path, schema: 'AttributeRegistry.v1_3_3', id, name: 'BIOS Attribute Registry' }),
    Description: 'The attributes of the BIOS and what they can be set to',
    Language: 'en',
    OwningEntity: personality.manufacturer,
    RegistryVersion: /v(\d+_\d+_\d+)$/.exec(id)?.[1]?.replaceAll('_', '.') ?? '1.0.0',
    SupportedSystems: [
      {
        ProductName: hardware.model,
        SystemId: hardware.sku,
        FirmwareVersion: firmware.find((slot) => slot.component === 'bios')?.version ?? '',
      },
    ],
    RegistryEntries: { Attributes: personality.bios.map(renderAttribute), Dependencies: [], Menus: [] },
  };
}

function renderAttribute(attribute: BiosAttribute, index: number): JsonObject {
  return {
    AttributeName: attribute.name,
    DisplayName: attribute.displayName,
    HelpText: attribute.displayName,
    Type: attribute.type,
    DefaultValue: attribute.default,
    CurrentValue: null,
    DisplayOrder: index + 1,
    ReadOnly: attribute.isReadOnly ?? false,
    Immutable: false,
    Hidden: false,
    ResetRequired: true,
    WriteOnly: false,
    IsSystemUniqueProperty: false,
    MenuPath: './',
    ...(attribute.values && {
      Value: attribute.values.map((value) => ({ ValueName: value, ValueDisplayName: value })),
    }),
    ...(attribute.lowerBound !== undefined && { LowerBound: attribute.lowerBound }),
    ...(attribute.upperBound !== undefined && { UpperBound: attribute.upperBound, ScalarIncrement: 1 }),
    ...(attribute.maxLength !== undefined && { MinLength: 0, MaxLength: attribute.maxLength }),
  };
}
