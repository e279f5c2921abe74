import { isDeepStrictEqual } from 'node:util';
import type { ServerCore } from '../core.ts';
import { dropRepeatedOwners } from '../meta/owner-references.ts';
import type { KubeObject } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { strategyContext } from './strategy-context.ts';

/** An object on its way to replace another. */
export interface Replacement {
  readonly object: KubeObject;
  readonly old: KubeObject;
  readonly subresource: string;
}

/** Takes from the old object what this request may not change, and counts the generation. */
export function prepareForUpdate(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  replacement: Replacement,
): void {
  const { object, old, subresource } = replacement;
  dropRepeatedOwners(object.metadata, (text) => context.warnings.add(text), 'after-admission');
  keepSystemFields(object, old);
  if (served.origin === 'custom') separateCustomStatus(served, replacement);
  else if (subresource === 'status') keepAllButStatus(object, old);
  else if (served.hasStatus) keepField(object, old, 'status');
  if (subresource === '' || subresource === 'scale') {
    served.strategy.prepareForUpdate?.(object, old, strategyContext(core, context));
  } else if (subresource === 'status') {
    served.strategy.prepareForStatusUpdate?.(object, old, strategyContext(core, context));
  }
  countGeneration(served, replacement);
}

function keepSystemFields(object: KubeObject, old: KubeObject): void {
  const meta = object.metadata;
  const was = old.metadata;
  meta.creationTimestamp = was.creationTimestamp ?? null;
  if (meta.name === undefined && was.name !== undefined) meta.name = was.name;
  if (was.namespace !== undefined && (meta.namespace ?? '') === '') meta.namespace = was.namespace;
  delete meta.selfLink;
  // Only a DELETE sets these, so that an old copy written back never revives a dying object.
  if (was.deletionTimestamp === undefined) delete meta.deletionTimestamp;
  else meta.deletionTimestamp = was.deletionTimestamp;
  if (was.deletionGracePeriodSeconds === undefined) delete meta.deletionGracePeriodSeconds;
  else meta.deletionGracePeriodSeconds = was.deletionGracePeriodSeconds;
}

function keepField(object: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}

function separateCustomStatus(served: ServedResource, { object, old, subresource }: Replacement): void {
  if (!served.hasStatus) return;
  if (subresource !== 'status') {
    keepField(object, old, 'status');
    return;
  }
  const { managedFields } = object.metadata;
  object.metadata = { ...old.metadata };
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
  keepAllButStatus(object, old);
}

function keepAllButStatus(object: KubeObject, old: KubeObject): void {
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (field !== 'status' && field !== 'metadata') keepField(object, old, field);
  }
}

function countGeneration(served: ServedResource, { object, old }: Replacement): void {
  const was = old.metadata.generation;
  if (was === undefined) delete object.metadata.generation;
  else object.metadata.generation = was;
  const counts = served.origin === 'custom' || served.strategy.hasGeneration === true;
  if (counts && isContentChanged(served, object, old)) object.metadata.generation = (was ?? 0) + 1;
}

function isContentChanged(served: ServedResource, object: KubeObject, old: KubeObject): boolean {
  const ignored = new Set(['metadata', 'apiVersion', 'kind']);
  if (served.hasStatus) ignored.add('status');
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!ignored.has(field) && !isDeepStrictEqual(object[field], old[field])) return true;
  }
  return false;
}
