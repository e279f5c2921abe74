export { chartFiles, chartFolder } from './chart.ts';
export { type Component, type ComponentName, home } from './component.ts';
export { components } from './components.ts';
export { ValuesError } from './errors.ts';
export {
  admissionRules,
  convertedDefinitions,
  type InstalledObject,
  objectsOf,
  webhookName,
} from './installation.ts';
export { type NamedRule, type Rights, requestedRules, rulesOf } from './rights.ts';
export { defaultValues, mergeValues, readValues, setValue, type Values } from './values.ts';
