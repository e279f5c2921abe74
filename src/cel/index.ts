export { admissionRequestType, matchConditionVariables } from './admission-types.ts';
export { CelError, type CelErrorKind, describeRuleError } from './errors.ts';
export { escapeFieldName, unescapeFieldName } from './field-names.ts';
export {
  type AccessDecision,
  type AccessQuestion,
  type Authorize,
  authorizerValue,
  resourceCheckValue,
} from './libraries/authorizer.ts';
export { matchConditionCostBudget, objectCostBudget, perCallCostLimit } from './limits.ts';
export {
  type CelCompilation,
  type CelEnvironment,
  type CelProgram,
  CostBudget,
  compileCel,
} from './program.ts';
export { celTypeOfSchema, maxRequestBytes, type SchemaShape } from './schema-type.ts';
export { type CelType, formatType, type ListType, type MapType, type ObjectType, simpleTypes } from './types.ts';
