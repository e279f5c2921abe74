export { type CompiledSchema, type CompileOptions, compileSchema } from './compile.ts';
export { type CompiledRule, type CompiledRules, compileNodeRules } from './compile-rule.ts';
export { decodeFault, maxQuantityLength } from './decode-fault.ts';
export { embeddedFault, validateEmbedded } from './embedded.ts';
export { explain } from './explain.ts';
export {
  duplicateError,
  type FieldError,
  type FieldErrorReason,
  fieldErrorBody,
  forbiddenError,
  formatFieldError,
  internalFieldError,
  invalidError,
  notSupportedError,
  requiredError,
  tooLongError,
  tooManyError,
  typeError,
} from './field-error.ts';
export { type FieldPath, resolveFieldPath } from './field-path.ts';
export { compareBytes, goJson, goNumber, goQuote } from './go-text.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export type { JsonSchema, ValidationRule } from './json-schema.ts';
export { compileJsonPath, type JsonPath } from './jsonpath.ts';
export type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './metadata.ts';
export {
  label1035Faults,
  label1123Faults,
  labelValueFaults,
  pathSegmentFaults,
  qualifiedNameFaults,
  subdomainFaults,
} from './name-faults.ts';
export { objectMetaSchema } from './object-meta.ts';
export { findDuplicateFields, goJsonSyntaxError, type ParsedJson, parseJson, parseStrict } from './parse-json.ts';
export { type ParsedYaml, parseJsonAsYaml, parseYamlStrict } from './parse-yaml.ts';
export { compilePattern, type Pattern } from './patterns.ts';
export { findUnknownIn, pruneUnknown } from './prune.ts';
export { compileRules, type RulesRunner, type RunOptions } from './rules.ts';
export { equalJson } from './schema-types.ts';
