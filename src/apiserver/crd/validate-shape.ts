import {
  type CompiledSchema,
  compileSchema,
  decodeFault,
  type JsonSchema,
  objectMetaSchema,
  pruneUnknown,
} from '../../schema/index.ts';

const text: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };
const count: JsonSchema = { type: 'integer', format: 'int64' };
const number: JsonSchema = { type: 'number' };
const texts: JsonSchema = { type: 'array', items: text };
const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

function struct(name: string, properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', 'x-go-type': `v1.${name}`, properties };
}

/** The schema of a schema. It refers to itself, so it is only ever walked along an object, never compiled. */
function describeJsonSchemaProps(readsLoosely: boolean): JsonSchema {
  const props = struct('JSONSchemaProps', {});
  const list: JsonSchema = { type: 'array', items: props };
  const map: JsonSchema = { type: 'object', additionalProperties: props };
  // A schema, or a list of schemas, or true or false.
  const loose: JsonSchema = readsLoosely ? anything : { properties: props.properties ?? {}, items: props };
  const rule = struct('ValidationRule', {
    rule: text,
    message: text,
    messageExpression: text,
    reason: text,
    fieldPath: text,
    optionalOldSelf: flag,
  });
  Object.assign(props.properties ?? {}, {
    ...{ id: text, $schema: text, $ref: text, description: text, type: text, format: text, title: text, pattern: text },
    ...{ nullable: flag, exclusiveMaximum: flag, exclusiveMinimum: flag, uniqueItems: flag },
    ...{ maximum: number, minimum: number, multipleOf: number },
    ...{
      maxLength: count,
      minLength: count,
      maxItems: count,
      minItems: count,
      maxProperties: count,
      minProperties: count,
    },
    ...{ default: anything, example: anything, enum: { type: 'array', items: anything }, required: texts },
    ...{ items: loose, additionalItems: loose, additionalProperties: loose, not: props },
    ...{ allOf: list, anyOf: list, oneOf: list, properties: map, patternProperties: map, definitions: map },
    dependencies: { type: 'object', additionalProperties: loose },
    externalDocs: struct('ExternalDocumentation', { description: text, url: text }),
    'x-kubernetes-preserve-unknown-fields': flag,
    'x-kubernetes-embedded-resource': flag,
    'x-kubernetes-int-or-string': flag,
    'x-kubernetes-list-map-keys': texts,
    'x-kubernetes-list-type': text,
    'x-kubernetes-map-type': text,
    'x-kubernetes-validations': { type: 'array', items: rule },
  } satisfies Record<string, JsonSchema>);
  return props;
}

function describeCrd({ readsLoosely }: { readsLoosely: boolean }): JsonSchema {
  const names = struct('CustomResourceDefinitionNames', {
    ...{ plural: text, singular: text, kind: text, listKind: text, shortNames: texts, categories: texts },
  });
  const column = struct('CustomResourceColumnDefinition', {
    ...{ name: text, type: text, format: text, description: text, jsonPath: text },
    priority: { type: 'integer', format: 'int32' },
  });
  const scale = struct('CustomResourceSubresourceScale', {
    ...{ specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text },
  });
  const version = struct('CustomResourceDefinitionVersion', {
    ...{ name: text, served: flag, storage: flag, deprecated: flag, deprecationWarning: text },
    schema: struct('CustomResourceValidation', { openAPIV3Schema: describeJsonSchemaProps(readsLoosely) }),
    subresources: struct('CustomResourceSubresources', {
      status: struct('CustomResourceSubresourceStatus', {}),
      scale,
    }),
    additionalPrinterColumns: { type: 'array', items: column },
    selectableFields: { type: 'array', items: struct('SelectableField', { jsonPath: text }) },
  });
  const service = struct('ServiceReference', {
    ...{ namespace: text, name: text, path: text, port: { type: 'integer', format: 'int32' } },
  });
  const clientConfig = struct('WebhookClientConfig', {
    url: text,
    service,
    caBundle: { type: 'string', format: 'byte' },
  });
  const webhook = struct('WebhookConversion', { clientConfig, conversionReviewVersions: texts });
  const condition = struct('CustomResourceDefinitionCondition', {
    ...{ type: text, status: text, reason: text, message: text, observedGeneration: count },
    lastTransitionTime: { type: 'string', format: 'date-time', nullable: true },
  });
  const spec = struct('CustomResourceDefinitionSpec', {
    ...{ group: text, names, scope: text, versions: { type: 'array', items: version }, preserveUnknownFields: flag },
    conversion: struct('CustomResourceConversion', { strategy: text, webhook }),
  });
  const status = struct('CustomResourceDefinitionStatus', {
    ...{ conditions: { type: 'array', items: condition }, acceptedNames: names, storedVersions: texts },
  });
  return struct('CustomResourceDefinition', {
    apiVersion: text,
    kind: text,
    metadata: objectMetaSchema,
    spec,
    status,
  });
}

/**
 * CustomResourceDefinition's own structure as the generic handlers use it: the shape given is served in OpenAPI and
 * to field managers, while unknown fields are looked for in the nested schemas too. Inside of what may be a schema or
 * something else (items, additionalProperties), kube-apiserver drops unknown fields without a word.
 */
export function compileCrdShape(shape: JsonSchema): CompiledSchema {
  const crd = describeCrd({ readsLoosely: false });
  const spoken = describeCrd({ readsLoosely: true });
  const compiled = compileSchema(shape, { kind: 'builtin', isRoot: true });
  const open = compileSchema({ ...anything, type: 'object' }, { kind: 'builtin', isRoot: true });
  return {
    ...compiled,
    decodeFault: (object) => decodeFault(object, crd),
    prune: (object) => {
      const found = pruneUnknown(object, spoken, { isResource: true, removes: true, sorts: false });
      pruneUnknown(object, crd, { isResource: true, removes: true, sorts: false });
      return [...open.prune(object), ...found];
    },
    findUnknown: (object) => [
      ...open.findUnknown(object),
      ...pruneUnknown(object, spoken, { isResource: true, removes: false, sorts: false }),
    ],
  };
}
