import { type FieldError, invalidError, requiredError, tooLongError } from './field-error.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import {
  label1035Faults,
  label1123Faults,
  labelValueFaults,
  pathSegmentFaults,
  qualifiedNameFaults,
} from './name-faults.ts';

/** Checks apiVersion, kind and metadata of a resource that stands inside another. */
export function validateEmbeddedResource(object: JsonObject, path: string): FieldError[] {
  const base = path === '' ? '' : `${path}.`;
  const errors: FieldError[] = [];
  for (const key of ['apiVersion', 'kind'])
    if (!Object.hasOwn(object, key)) errors.push(requiredError(`${base}${key}`));
  if (Object.hasOwn(object, 'apiVersion')) errors.push(...apiVersionErrors(object.apiVersion, `${base}apiVersion`));
  if (Object.hasOwn(object, 'kind')) errors.push(...kindErrors(object.kind, `${base}kind`));
  const metadata = object.metadata;
  if (isJsonObject(metadata)) errors.push(...metadataErrors(metadata, `${base}metadata`));
  return errors;
}

function apiVersionErrors(value: Json | undefined, field: string): FieldError[] {
  if (typeof value !== 'string') return [invalidError(field, value, 'must be a string')];
  if (value === '') return [invalidError(field, value, 'must not be empty')];
  const slashes = value.split('/').length - 1;
  return slashes <= 1 ? [] : [invalidError(field, value, `unexpected GroupVersion string: ${value}`)];
}

function kindErrors(value: Json | undefined, field: string): FieldError[] {
  if (typeof value !== 'string') return [invalidError(field, value, 'must be a string')];
  if (value === '') return [invalidError(field, value, 'must not be empty')];
  const faults = label1035Faults(value.toLowerCase());
  if (faults.length === 0) return [];
  return [invalidError(field, value, `may have mixed case, but should otherwise match: ${faults.join(',')}`)];
}

function metadataErrors(metadata: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const each = (name: string, faults: (value: string) => string[]): void => {
    const value = metadata[name];
    if (typeof value !== 'string' || value === '') return;
    for (const fault of faults(value)) errors.push(invalidError(`${path}.${name}`, value, fault));
  };
  each('generateName', pathSegmentFaults);
  each('name', pathSegmentFaults);
  each('namespace', label1123Faults);
  const generation = metadata.generation;
  if (typeof generation === 'number' && generation < 0) {
    errors.push(invalidError(`${path}.generation`, generation, 'must be greater than or equal to 0'));
  }
  errors.push(...labelErrors(metadata.labels, `${path}.labels`));
  errors.push(...annotationErrors(metadata.annotations, `${path}.annotations`));
  errors.push(...ownerErrors(metadata.ownerReferences, `${path}.ownerReferences`));
  errors.push(...finalizerErrors(metadata.finalizers, `${path}.finalizers`));
  return errors;
}

function labelErrors(labels: Json | undefined, field: string): FieldError[] {
  if (!isJsonObject(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalidError(field, key, fault)),
    ...labelValueFaults(String(value)).map((fault) => invalidError(field, value, fault)),
  ]);
}

const annotationLimitBytes = 256 * 1024;

function annotationErrors(annotations: Json | undefined, field: string): FieldError[] {
  if (!isJsonObject(annotations)) return [];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const fault of qualifiedNameFaults(key.toLowerCase())) errors.push(invalidError(field, key, fault));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  }
  if (bytes > annotationLimitBytes) errors.push(tooLongError(field, annotationLimitBytes));
  return errors;
}

function ownerErrors(owners: Json | undefined, field: string): FieldError[] {
  if (!Array.isArray(owners)) return [];
  const errors: FieldError[] = [];
  for (const owner of owners) {
    if (!isJsonObject(owner)) continue;
    const text = (name: string) => (typeof owner[name] === 'string' ? (owner[name] as string) : '');
    if (text('apiVersion').split('/').at(-1) === '') {
      errors.push(invalidError(`${field}.apiVersion`, text('apiVersion'), 'version must not be empty'));
    }
    for (const name of ['kind', 'name', 'uid']) {
      if (text(name) === '') errors.push(invalidError(`${field}.${name}`, '', 'must not be empty'));
    }
  }
  return errors;
}

function finalizerErrors(finalizers: Json | undefined, field: string): FieldError[] {
  if (!Array.isArray(finalizers)) return [];
  const names = finalizers.map(String);
  const errors = names.flatMap((name) => qualifiedNameFaults(name).map((fault) => invalidError(field, name, fault)));
  if (names.includes('orphan') && names.includes('foregroundDeletion')) {
    errors.push(invalidError(field, names, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}
