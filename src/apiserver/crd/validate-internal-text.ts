import { goJson, isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../schema/index.ts';
import type { CrdVersion } from './crd-object.ts';

// kube-apiserver prints parts of a CustomResourceDefinition in error messages as its Go structs, not as the user
// wrote them. These functions print the same.

/** The Go field names of JSONSchemaProps in order, with the JSON names they stand for and their zero value. */
const schemaFields: readonly (readonly [string, string, string])[] = [
  ['ID', 'id', '""'],
  ['Schema', '$schema', '""'],
  ['Ref', '$ref', 'null'],
  ['Description', 'description', '""'],
  ['Type', 'type', '""'],
  ['Nullable', 'nullable', 'false'],
  ['Format', 'format', '""'],
  ['Title', 'title', '""'],
  ['Default', 'default', 'null'],
  ['Maximum', 'maximum', 'null'],
  ['ExclusiveMaximum', 'exclusiveMaximum', 'false'],
  ['Minimum', 'minimum', 'null'],
  ['ExclusiveMinimum', 'exclusiveMinimum', 'false'],
  ['MaxLength', 'maxLength', 'null'],
  ['MinLength', 'minLength', 'null'],
  ['Pattern', 'pattern', '""'],
  ['MaxItems', 'maxItems', 'null'],
  ['MinItems', 'minItems', 'null'],
  ['UniqueItems', 'uniqueItems', 'false'],
  ['MultipleOf', 'multipleOf', 'null'],
  ['Enum', 'enum', 'null'],
  ['MaxProperties', 'maxProperties', 'null'],
  ['MinProperties', 'minProperties', 'null'],
  ['Required', 'required', 'null'],
  ['Items', 'items', 'null'],
  ['AllOf', 'allOf', 'null'],
  ['OneOf', 'oneOf', 'null'],
  ['AnyOf', 'anyOf', 'null'],
  ['Not', 'not', 'null'],
  ['Properties', 'properties', 'null'],
  ['AdditionalProperties', 'additionalProperties', 'null'],
  ['PatternProperties', 'patternProperties', 'null'],
  ['Dependencies', 'dependencies', 'null'],
  ['AdditionalItems', 'additionalItems', 'null'],
  ['Definitions', 'definitions', 'null'],
  ['ExternalDocs', 'externalDocs', 'null'],
  ['Example', 'example', 'null'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', 'null'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', 'false'],
  ['XIntOrString', 'x-kubernetes-int-or-string', 'false'],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', 'null'],
  ['XListType', 'x-kubernetes-list-type', 'null'],
  ['XMapType', 'x-kubernetes-map-type', 'null'],
  ['XValidations', 'x-kubernetes-validations', 'null'],
];

/** The names under which the API server knows the fields a schema sets, in its order. */
export function goFieldsOf(schema: JsonSchema): string[] {
  const object = schema as unknown as JsonObject;
  return schemaFields.filter(([, name, zero]) => isSet(object[name], zero)).map(([goName]) => goName);
}

function isSet(value: Json | undefined, zero: string): boolean {
  return value !== undefined && value !== null && goJson(value) !== zero;
}

/** Prints a schema as its Go struct. */
export function goSchemaText(schema: JsonSchema): string {
  const object = schema as unknown as JsonObject;
  const parts = schemaFields.map(([goName, name, zero]) => {
    const value = object[name];
    return `"${goName}":${value === undefined || value === null ? zero : fieldText(name, value)}`;
  });
  return `{${parts.join(',')}}`;
}

function fieldText(name: string, value: Json): string {
  if (name === 'not') return goSchemaText(value as unknown as JsonSchema);
  if (name === 'allOf' || name === 'anyOf' || name === 'oneOf') return listText(value, schemaText);
  if (name === 'items') {
    const isList = Array.isArray(value);
    return `{"Schema":${isList ? 'null' : schemaText(value)},"JSONSchemas":${isList ? listText(value, schemaText) : 'null'}}`;
  }
  if (name === 'additionalProperties') {
    return `{"Allows":${value !== false},"Schema":${isJsonObject(value) ? schemaText(value) : 'null'}}`;
  }
  if (name === 'properties' && isJsonObject(value)) {
    const names = Object.keys(value).sort();
    return `{${names.map((key) => `${goJson(key)}:${schemaText(value[key] as Json)}`).join(',')}}`;
  }
  return name === 'x-kubernetes-validations' ? listText(value, goRuleText) : goJson(value);
}

function schemaText(value: Json): string {
  return goSchemaText(value as unknown as JsonSchema);
}

function listText(value: Json, print: (element: Json) => string): string {
  return Array.isArray(value) ? `[${value.map(print).join(',')}]` : 'null';
}

/** Prints a validation rule as its Go struct. */
export function goRuleText(value: Json): string {
  const rule = isJsonObject(value) ? value : {};
  const parts = [
    `"Rule":${goJson(rule.rule ?? '')}`,
    `"Message":${goJson(rule.message ?? '')}`,
    `"MessageExpression":${goJson(rule.messageExpression ?? '')}`,
    `"Reason":${goJson(rule.reason)}`,
    `"FieldPath":${goJson(rule.fieldPath ?? '')}`,
    `"OptionalOldSelf":${goJson(rule.optionalOldSelf)}`,
  ];
  return `{${parts.join(',')}}`;
}

/** Which parts of the versions the API server has moved up to the whole definition, because all have them alike. */
export interface Hoisted {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectable: boolean;
}

/** Prints the versions of a definition as Go structs. */
export function goVersionsText(versions: readonly CrdVersion[], hoisted: Hoisted): string {
  return `[${versions.map((version) => versionText(version, hoisted)).join(',')}]`;
}

function versionText(version: CrdVersion, hoisted: Hoisted): string {
  const schema = version.schema?.openAPIV3Schema;
  const columns = version.additionalPrinterColumns;
  const selectable = version.selectableFields;
  const parts = [
    `"Name":${goJson(version.name ?? '')}`,
    `"Served":${version.served === true}`,
    `"Storage":${version.storage === true}`,
    `"Deprecated":${version.deprecated === true}`,
    `"DeprecationWarning":${goJson(version.deprecationWarning)}`,
    `"Schema":${hoisted.schema || version.schema === undefined ? 'null' : `{"OpenAPIV3Schema":${schema === undefined ? 'null' : goSchemaText(schema)}}`}`,
    `"Subresources":${hoisted.subresources ? 'null' : subresourcesText(version)}`,
    `"AdditionalPrinterColumns":${hoisted.columns || columns === undefined ? 'null' : listText(columns as unknown as Json, columnText)}`,
    `"SelectableFields":${hoisted.selectable || selectable === undefined ? 'null' : listText(selectable as unknown as Json, (f) => `{"JSONPath":${goJson((f as JsonObject).jsonPath ?? '')}}`)}`,
  ];
  return `{${parts.join(',')}}`;
}

function subresourcesText({ subresources }: CrdVersion): string {
  if (subresources === undefined) return 'null';
  const { scale, status } = subresources;
  const scaleText =
    scale === undefined
      ? 'null'
      : `{"SpecReplicasPath":${goJson(scale.specReplicasPath ?? '')},"StatusReplicasPath":${goJson(scale.statusReplicasPath ?? '')},"LabelSelectorPath":${goJson(scale.labelSelectorPath)}}`;
  return `{"Status":${status === undefined ? 'null' : '{}'},"Scale":${scaleText}}`;
}

function columnText(value: Json): string {
  const column = value as JsonObject;
  const text = (name: string) => goJson(column[name] ?? '');
  return `{"Name":${text('name')},"Type":${text('type')},"Format":${text('format')},"Description":${text('description')},"Priority":${goJson(column.priority ?? 0)},"JSONPath":${text('jsonPath')}}`;
}
