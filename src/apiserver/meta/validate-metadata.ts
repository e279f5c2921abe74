import { type FieldError, type Json, labelValueFaults, qualifiedNameFaults } from '../../schema/index.ts';
import type { ObjectMeta, OwnerReference } from '../object.ts';
import { type NameRule, nameFaults } from './names.ts';

const annotationLimitBytes = 256 * 1024;

/** What a kind's metadata must obey. */
export interface MetadataRule {
  readonly name: NameRule;
  readonly namespaced: boolean;
  /** Built-in kinds take only the standard finalizers and such as carry a domain. */
  readonly wantsQualifiedFinalizers: boolean;
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Checks the metadata of an object about to be created or updated. */
export function validateMetadata(meta: ObjectMeta, rule: MetadataRule): FieldError[] {
  const errors: FieldError[] = [];
  checkGenerateName(meta, rule.name, errors);
  checkName(meta, rule.name, errors);
  checkNamespace(meta, rule.namespaced, errors);
  checkGeneration(meta, errors);
  checkLabels(meta.labels, 'metadata.labels', errors);
  checkAnnotations(meta.annotations, errors);
  checkOwners(meta.ownerReferences ?? [], errors);
  checkFinalizers(meta.finalizers ?? [], rule, errors);
  checkManagers(meta, errors);
  return errors;
}

function invalidValue(field: string, badValue: Json, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, badValue, detail };
}

function checkGenerateName(meta: ObjectMeta, rule: NameRule, errors: FieldError[]): void {
  const prefix = meta.generateName ?? '';
  if (prefix === '') return;
  const masked = prefix.endsWith('-') ? `${prefix.slice(0, -1)}a` : prefix;
  for (const fault of nameFaults(rule, masked)) errors.push(invalidValue('metadata.generateName', prefix, fault));
}

function checkName(meta: ObjectMeta, rule: NameRule, errors: FieldError[]): void {
  const name = meta.name ?? '';
  if (name === '') {
    errors.push({ reason: 'FieldValueRequired', field: 'metadata.name', detail: 'name or generateName is required' });
    return;
  }
  for (const fault of nameFaults(rule, name)) errors.push(invalidValue('metadata.name', name, fault));
}

function checkNamespace(meta: ObjectMeta, namespaced: boolean, errors: FieldError[]): void {
  const namespace = meta.namespace ?? '';
  if (!namespaced) {
    if (namespace !== '') {
      errors.push({ reason: 'FieldValueForbidden', field: 'metadata.namespace', detail: 'not allowed on this type' });
    }
    return;
  }
  if (namespace === '') errors.push({ reason: 'FieldValueRequired', field: 'metadata.namespace', detail: '' });
  else
    for (const f of nameFaults('dns-label', namespace)) errors.push(invalidValue('metadata.namespace', namespace, f));
}

/** Most kinds count it themselves; of the others, what a client sends is taken. */
function checkGeneration({ generation = 0 }: ObjectMeta, errors: FieldError[]): void {
  if (generation < 0)
    errors.push(invalidValue('metadata.generation', generation, 'must be greater than or equal to 0'));
}

/** Checks a label map at any path. */
export function checkLabels(labels: Record<string, string> | undefined, field: string, errors: FieldError[]): void {
  if (labels === undefined) return;
  for (const [key, value] of Object.entries(labels)) {
    for (const fault of qualifiedNameFaults(key)) errors.push(invalidValue(field, key, fault));
    for (const fault of labelValueFaults(value)) errors.push(invalidValue(field, value, fault));
  }
}

/** Checks the annotations of an object. */
export function checkAnnotations(annotations: Record<string, string> | undefined, errors: FieldError[]): void {
  if (annotations === undefined) return;
  let total = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const f of qualifiedNameFaults(key.toLowerCase())) errors.push(invalidValue('metadata.annotations', key, f));
    total += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (total > annotationLimitBytes) {
    const detail = `may not be more than ${annotationLimitBytes} bytes`;
    errors.push({ reason: 'FieldValueTooLong', field: 'metadata.annotations', detail });
  }
}

function checkOwners(owners: OwnerReference[], errors: FieldError[]): void {
  let controller: OwnerReference | undefined;
  for (const owner of owners) {
    checkOwner(owner, errors);
    if (owner.controller !== true) continue;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${owner.kind}/${owner.name}`;
      errors.push(invalidValue('metadata.ownerReferences', owners as unknown as Json, detail));
    }
    controller = owner;
  }
}

function checkOwner(owner: OwnerReference, errors: FieldError[]): void {
  const field = 'metadata.ownerReferences';
  // The type says they are there; what a client sends need not have them.
  const { apiVersion = '', kind = '', name = '', uid = '' }: Partial<OwnerReference> = owner;
  const parts = apiVersion.split('/');
  if (parts.length > 2 || parts.at(-1) === '') {
    errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
  }
  if (kind === '') errors.push(invalidValue(`${field}.kind`, '', 'must not be empty'));
  if (name === '') errors.push(invalidValue(`${field}.name`, '', 'must not be empty'));
  if (uid === '') errors.push(invalidValue(`${field}.uid`, '', 'must not be empty'));
  if (kind === 'Event' && apiVersion === 'v1') {
    errors.push(invalidValue(field, owner as unknown as Json, '/v1, Kind=Event is disallowed from being an owner'));
  }
}

function checkFinalizers(finalizers: string[], rule: MetadataRule, errors: FieldError[]): void {
  finalizers.forEach((finalizer, i) => {
    if (!rule.wantsQualifiedFinalizers || finalizer.includes('/') || standardFinalizers.has(finalizer)) return;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(invalidValue(`metadata.finalizers[${i}]`, finalizer, detail));
  });
  for (const finalizer of finalizers) {
    for (const f of qualifiedNameFaults(finalizer)) errors.push(invalidValue('metadata.finalizers', finalizer, f));
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalidValue('metadata.finalizers', finalizers, detail));
  }
}

const longestManagerBytes = 128;

function checkManagers(meta: ObjectMeta, errors: FieldError[]): void {
  for (const [index, { manager = '' }] of (meta.managedFields ?? []).entries()) {
    if (Buffer.byteLength(manager) <= longestManagerBytes) continue;
    const detail = `may not be more than ${longestManagerBytes} bytes`;
    errors.push({ reason: 'FieldValueTooLong', field: `metadata.managedFields[${index}].manager`, detail });
  }
}

/** What to say of finalizers that are new and carry no domain, where they are allowed. */
export function finalizerWarnings(meta: ObjectMeta, old: ObjectMeta | undefined): string[] {
  const before = new Set(old?.finalizers ?? []);
  const isBare = (name: string): boolean => !name.includes('/') && !standardFinalizers.has(name) && !before.has(name);
  const why = (name: string): string => {
    const form = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name';
    return `prefer a domain-qualified ${form} to avoid accidental conflicts with other finalizer writers`;
  };
  const bare = [...new Set(meta.finalizers)].filter(isBare).sort();
  return bare.map((name) => `metadata.finalizers: ${JSON.stringify(name)}: ${why(name)}`);
}

/** Checks what an update may not change in metadata. */
export function validateMetadataUpdate(next: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  const immutable = (field: string, value: Json | undefined, was: Json | undefined): void => {
    if (value !== was) errors.push(invalidValue(`metadata.${field}`, value ?? null, 'field is immutable'));
  };
  for (const finalizer of addedWhileDeleting(next, old)) {
    const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{"${finalizer}"}`;
    errors.push({ reason: 'FieldValueForbidden', field: 'metadata.finalizers', detail });
  }
  immutable('name', next.name, old.name);
  immutable('namespace', next.namespace, old.namespace);
  immutable('uid', next.uid, old.uid);
  immutable('creationTimestamp', next.creationTimestamp, old.creationTimestamp);
  immutable('deletionTimestamp', next.deletionTimestamp, old.deletionTimestamp);
  immutable('deletionGracePeriodSeconds', next.deletionGracePeriodSeconds, old.deletionGracePeriodSeconds);
  return errors;
}

function addedWhileDeleting(next: ObjectMeta, old: ObjectMeta): string[] {
  if (old.deletionTimestamp === undefined) return [];
  const before = new Set(old.finalizers ?? []);
  return (next.finalizers ?? []).filter((f) => !before.has(f));
}
