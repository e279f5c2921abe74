import { type FieldError, formatFieldError } from '../../schema/index.ts';
import {
  finalizerWarnings,
  type MetadataRule,
  validateMetadata,
  validateMetadataUpdate,
} from '../meta/validate-metadata.ts';
import { asJson, type KubeObject } from '../object.ts';
import type { StrategyContext } from '../resource.ts';
import type { ServedResource } from '../served-resource.ts';
import { invalid } from '../status.ts';
import { scaleFaults } from './scale.ts';

/** Every mistake in an object about to be created. */
export function validateForCreate(served: ServedResource, object: KubeObject, context: StrategyContext): FieldError[] {
  refuseOtherType(served, object);
  // Not push(...): a large object may have more mistakes than the stack holds arguments.
  let errors = validateMetadata(object.metadata, metadataRule(served));
  if (served.origin === 'custom')
    errors = errors.concat(served.compiled.validateCreate(asJson(object)), scaleFaults(served, object));
  errors = errors.concat(served.strategy.validate?.(object, context) ?? []);
  if (errors.length === 0) warnOfFinalizers(served, { object, old: undefined }, context);
  return errors;
}

/** Every mistake in an object about to replace another. */
export function validateForUpdate(
  served: ServedResource,
  next: { object: KubeObject; old: KubeObject; isStatus: boolean },
  context: StrategyContext,
): FieldError[] {
  const { object, old } = next;
  refuseOtherType(served, object);
  let errors = validateMetadata(object.metadata, metadataRule(served));
  errors = errors.concat(validateMetadataUpdate(object.metadata, old.metadata));
  if (served.origin === 'custom') {
    const { compiled } = served;
    const check = next.isStatus ? compiled.validateStatusUpdate : compiled.validateUpdate;
    const warn = (error: FieldError): void => context.warn(formatFieldError(error));
    errors = errors.concat(check.call(compiled, asJson(object), asJson(old), warn), scaleFaults(served, object));
  }
  const { strategy } = served;
  const check = next.isStatus ? strategy.validateStatusUpdate : strategy.validateUpdate;
  errors = errors.concat(check?.call(strategy, object, old, context) ?? []);
  if (errors.length === 0) warnOfFinalizers(served, next, context);
  return errors;
}

/** A custom resource that calls itself something else is told that alone, under the name it gives itself. */
function refuseOtherType(served: ServedResource, { kind, apiVersion, metadata }: KubeObject): void {
  if (served.origin !== 'custom' || (kind === served.kind && apiVersion === served.apiVersion)) return;
  const mustBe = (field: 'kind' | 'apiVersion', badValue: string): FieldError[] =>
    badValue === served[field]
      ? []
      : [{ reason: 'FieldValueInvalid', field, badValue, detail: `must be ${served[field]}` }];
  const group = apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '';
  const errors = [...mustBe('kind', kind), ...mustBe('apiVersion', apiVersion)];
  throw invalid({ group, kind }, metadata.name ?? '', errors);
}

function warnOfFinalizers(
  served: ServedResource,
  next: { object: KubeObject; old: KubeObject | undefined },
  context: StrategyContext,
): void {
  if (served.origin !== 'custom') return;
  for (const text of finalizerWarnings(next.object.metadata, next.old?.metadata)) context.warn(text);
}

/** Groups whose kinds take any finalizer name, as custom resources do. */
const lenientGroups = new Set(['apiextensions.k8s.io', 'admissionregistration.k8s.io', 'coordination.k8s.io']);

function metadataRule({ nameRule, namespaced, origin, group }: ServedResource): MetadataRule {
  return { name: nameRule, namespaced, wantsQualifiedFinalizers: origin === 'builtin' && !lenientGroups.has(group) };
}

/** Throws 422 with everything that is wrong, if anything is. */
export function refuseInvalid(served: ServedResource, object: KubeObject, errors: FieldError[]): void {
  if (errors.length === 0) return;
  // Whoever serves another's objects speaks of them under the group that stores them.
  const group = served.bucket.slice(0, served.bucket.lastIndexOf('/'));
  throw invalid({ group, kind: served.kind }, object.metadata.name ?? '', errors);
}
