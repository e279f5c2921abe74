import {
  equalJson,
  type FieldError,
  invalidError,
  type Json,
  label1035Faults,
  notSupportedError,
  requiredError,
  subdomainFaults,
} from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { Crd, CrdNames, CrdVersion } from './crd-object.ts';
import { approvalErrors } from './validate-approval.ts';
import { validateConversion } from './validate-conversion.ts';
import { goVersionsText, type Hoisted } from './validate-internal-text.ts';
import { validateCrdSchema } from './validate-schema.ts';
import {
  validateColumns,
  validateDeprecation,
  validateSelectableFields,
  validateSubresources,
} from './validate-version-parts.ts';

/** Fills in what a CustomResourceDefinition leaves out. */
export function defaultCrd(object: KubeObject): void {
  const crd = object as unknown as Partial<Crd>;
  crd.spec ??= {} as Crd['spec'];
  const { spec } = crd;
  spec.names ??= {} as CrdNames;
  const kind = spec.names.kind ?? '';
  if ((spec.names.singular ?? '') === '' && kind !== '') spec.names.singular = kind.toLowerCase();
  if ((spec.names.listKind ?? '') === '' && kind !== '') spec.names.listKind = `${kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;
  const storage = spec.versions?.find((version) => version.storage === true);
  if ((crd.status?.storedVersions ?? []).length === 0 && storage !== undefined) {
    crd.status = { ...crd.status, storedVersions: [storage.name] };
  }
}

/** Every mistake in a new CustomResourceDefinition, beyond those every object's metadata can have. */
export function validateCrd(object: KubeObject): FieldError[] {
  const crd = asCrd(object);
  const name = crd.metadata.name ?? '';
  const isNamed = name === '' || name === `${crd.spec.names.plural ?? ''}.${crd.spec.group ?? ''}`;
  return [
    ...(isNamed ? [] : [invalidError('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(crd),
    ...nameErrors(crd.status?.acceptedNames ?? {}, 'status.acceptedNames'),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, undefined),
    ...preserveErrors(crd, undefined),
  ];
}

/** Every mistake in a changed CustomResourceDefinition. */
export function validateCrdUpdate(object: KubeObject, oldObject: KubeObject): FieldError[] {
  const crd = asCrd(object);
  const old = asCrd(oldObject);
  return [
    ...specErrors(crd),
    ...immutableErrors(crd, old),
    ...nameErrors(crd.status?.acceptedNames ?? {}, 'status.acceptedNames'),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, old),
    ...preserveErrors(crd, old),
  ];
}

// Decoding made sure of the types; what is missing counts as empty.
function asCrd(object: KubeObject): Crd {
  const crd = object as unknown as Crd;
  const spec = crd.spec ?? {};
  return { ...crd, spec: { ...spec, names: spec.names ?? {}, versions: spec.versions ?? [] } } as Crd;
}

function specErrors(crd: Crd): FieldError[] {
  const { spec } = crd;
  const hoisted = hoist(spec.versions);
  const errors = [...groupErrors(spec.group ?? ''), ...scopeErrors(spec.scope ?? '')];
  for (const [index, version] of spec.versions.entries()) {
    if (version.schema?.openAPIV3Schema === undefined) {
      errors.push(requiredError(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  }
  for (const [index, version] of spec.versions.entries()) {
    errors.push(...versionErrors(crd, version, { index, hoisted }));
  }
  errors.push(...versionListErrors(spec.versions, hoisted), ...requiredNameErrors(spec.names));
  errors.push(...nameErrors(spec.names, 'spec.names'), ...hoistedErrors(crd, hoisted));
  return [...errors, ...validateConversion(spec.conversion, 'spec.conversion')];
}

/** kube-apiserver moves what all versions have alike to the definition itself, and reports its mistakes there. */
function hoist(versions: readonly CrdVersion[]): Hoisted {
  const isAlike = (pick: (version: CrdVersion) => unknown) => {
    const [first, ...others] = versions.map((version) => (pick(version) ?? null) as Json);
    return first !== undefined && others.every((other) => equalJson(first, other));
  };
  return {
    schema: isAlike((version) => version.schema),
    subresources: isAlike((version) => version.subresources),
    columns: isAlike((version) => version.additionalPrinterColumns),
    selectable: isAlike((version) => version.selectableFields),
  };
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [requiredError('spec.group')];
  const faults = subdomainFaults(group);
  if (faults.length > 0) return [invalidError('spec.group', group, faults.join(','))];
  return group.includes('.') ? [] : [invalidError('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === '') return [requiredError('spec.scope')];
  const known = ['Cluster', 'Namespaced'];
  return known.includes(scope) ? [] : [notSupportedError('spec.scope', scope, known)];
}

function versionErrors(_crd: Crd, version: CrdVersion, at: { index: number; hoisted: Hoisted }): FieldError[] {
  const path = `spec.versions[${at.index}]`;
  const { hoisted } = at;
  const errors: FieldError[] = [];
  const faults = label1035Faults(version.name ?? '');
  if (faults.length > 0) errors.push(invalidError(`${path}.name`, version.name ?? '', faults.join(',')));
  errors.push(...validateDeprecation(version, path));
  const schema = version.schema?.openAPIV3Schema;
  if (!hoisted.schema && schema !== undefined) {
    const hasStatus = version.subresources?.status !== undefined;
    errors.push(...validateCrdSchema(schema, { path: `${path}.schema`, hasStatus }));
  }
  if (!hoisted.subresources) errors.push(...validateSubresources(version.subresources, `${path}.subresources`));
  if (!hoisted.columns) {
    errors.push(...validateColumns(version.additionalPrinterColumns ?? [], `${path}.additionalPrinterColumns`));
  }
  // With the schema moved up to the definition, kube-apiserver misses it here and says so, oddly.
  const selectable = hoisted.selectable ? [] : (version.selectableFields ?? []);
  if (selectable.length === 0) return errors;
  const field = `${path}.selectableFields`;
  if (schema !== undefined && !hoisted.schema)
    return [...errors, ...validateSelectableFields(selectable, schema, field)];
  const words = 'may only be set when `version.schema.openAPIV3Schema` is not included';
  return [...errors, invalidError(field, '', words)];
}

function versionListErrors(versions: readonly CrdVersion[], hoisted: Hoisted): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (words: string) =>
    errors.push({ ...invalidError('spec.versions', null, words), badValueText: goVersionsText(versions, hoisted) });
  if (new Set(versions.map((version) => version.name)).size < versions.length)
    refuse('must contain unique version names');
  if (versions.filter((version) => version.storage === true).length !== 1) {
    refuse('must have exactly one version marked as storage version');
  }
  const first = versions[0]?.name ?? '';
  const faults = first === '' ? [] : label1035Faults(first);
  if (faults.length > 0) errors.push(invalidError('spec.version', first, faults.join(',')));
  return errors;
}

function requiredNameErrors(names: Partial<CrdNames>): FieldError[] {
  const required = ['plural', 'singular', 'kind', 'listKind'] as const;
  return required.filter((name) => (names[name] ?? '') === '').map((name) => requiredError(`spec.names.${name}`));
}

function nameErrors(names: Partial<CrdNames>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: string, value: string, isMixedCase: boolean) => {
    const faults = label1035Faults(isMixedCase ? value.toLowerCase() : value);
    if (faults.length === 0) return;
    const words = isMixedCase ? 'may have mixed case, but should otherwise match: ' : '';
    errors.push(invalidError(`${path}.${field}`, value, words + faults.join(',')));
  };
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    const value = names[field] ?? '';
    if (value !== '') check(field, value, field === 'kind' || field === 'listKind');
  }
  for (const [index, name] of (names.shortNames ?? []).entries()) check(`shortNames[${index}]`, name, false);
  if ((names.kind ?? '') !== '' && names.kind === names.listKind) {
    errors.push(invalidError(`${path}.listKind`, names.listKind, 'kind and listKind may not be the same'));
  }
  for (const [index, name] of (names.categories ?? []).entries()) check(`categories[${index}]`, name, false);
  return errors;
}

function hoistedErrors(crd: Crd, hoisted: Hoisted): FieldError[] {
  const { versions } = crd.spec;
  const first = versions[0];
  if (first === undefined) return [];
  const errors: FieldError[] = [];
  const schema = hoisted.schema ? first.schema?.openAPIV3Schema : undefined;
  if (schema !== undefined) {
    const hasStatus = versions.some((version) => version.subresources?.status !== undefined);
    errors.push(...validateCrdSchema(schema, { path: 'spec.validation', hasStatus }));
  }
  if (hoisted.subresources) errors.push(...validateSubresources(first.subresources, 'spec.subresources'));
  if (hoisted.columns) {
    errors.push(...validateColumns(first.additionalPrinterColumns ?? [], 'spec.additionalPrinterColumns'));
  }
  const selectable = hoisted.selectable ? (first.selectableFields ?? []) : [];
  if (selectable.length === 0) return errors;
  if (schema !== undefined)
    return [...errors, ...validateSelectableFields(selectable, schema, 'spec.selectableFields')];
  return [...errors, invalidError('spec.selectableFields', '', 'may only be set when validations.schema is included')];
}

function storedVersionErrors({ spec, status }: Crd): FieldError[] {
  const path = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalidError(path, null, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  for (const version of spec.versions) {
    if (version.storage === true && !stored.includes(version.name)) {
      errors.push(invalidError(path, stored, `must have the storage version ${version.name}`));
    }
  }
  const names = new Set(spec.versions.map((version) => version.name));
  for (const [index, name] of stored.entries()) {
    if (names.has(name)) continue;
    const words = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidError(`${path}[${index}]`, name, words));
  }
  return errors;
}

function immutableErrors(crd: Crd, old: Crd): FieldError[] {
  const errors: FieldError[] = [];
  const keep = (path: string, value: string | undefined, was: string | undefined) => {
    if (value !== was) errors.push(invalidError(path, value ?? '', 'field is immutable'));
  };
  const isEstablished = old.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  if (isEstablished === true) {
    keep('spec.scope', crd.spec.scope, old.spec.scope);
    keep('spec.names.kind', crd.spec.names.kind, old.spec.names.kind);
  }
  keep('spec.group', crd.spec.group, old.spec.group);
  keep('spec.names.plural', crd.spec.names.plural, old.spec.names.plural);
  return errors;
}

function preserveErrors(crd: Crd, old: Crd | undefined): FieldError[] {
  if (crd.spec.preserveUnknownFields !== true) return [];
  const errors: FieldError[] = [];
  if (crd.spec.versions.some(({ schema }) => hasDefault(schema?.openAPIV3Schema as Json))) {
    const why = 'must be false in order to use defaults in the schema';
    errors.push(invalidError('spec.preserveUnknownFields', true, why));
  }
  if (old?.spec.preserveUnknownFields === true) return errors;
  const words =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [...errors, invalidError('spec.preserveUnknownFields', true, words)];
}

/** True when a schema fills in a default anywhere. */
function hasDefault(schema: Json | undefined): boolean {
  if (Array.isArray(schema)) return schema.some(hasDefault);
  if (typeof schema !== 'object' || schema === null) return false;
  if (schema.default !== undefined) return true;
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not } = schema;
  const parts = [items, additionalProperties, allOf, anyOf, oneOf, not] as (Json | undefined)[];
  const named = typeof properties === 'object' && properties !== null ? Object.values(properties) : [];
  return [...parts, ...named].some(hasDefault);
}
