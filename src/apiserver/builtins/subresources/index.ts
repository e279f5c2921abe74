import type { ServerCore } from '../../core.ts';
import type { SubresourceHandler } from '../../virtual-resource.ts';
import { namespaceFinalize } from './namespace-finalize.ts';
import { podBinding } from './pod-binding.ts';
import { podEviction } from './pod-eviction.ts';

/** Subresources of built-in kinds that do more than show or replace a part of the object. */
export function builtinSubresources(core: ServerCore): SubresourceHandler[] {
  return [namespaceFinalize(core), podBinding(core), podEviction(core)];
}
