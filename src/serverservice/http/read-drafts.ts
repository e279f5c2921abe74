import type { Static } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import type { AttributeDraft } from '../attributes/attributes.ts';
import type { ComponentDraft } from '../components/component.ts';
import type { ComponentDraftShape } from './shapes.ts';

/** Attributes of a body, without what is not looked at. */
export function readAttributes(
  drafts: readonly { readonly namespace: string; readonly data: Record<string, unknown> }[] | undefined,
): AttributeDraft[] {
  return (drafts ?? []).map(({ namespace, data }) => ({ namespace, data: data as JsonObject }));
}

/** Components of a body. */
export function readComponents(drafts: readonly Static<typeof ComponentDraftShape>[]): ComponentDraft[] {
  return drafts.map((draft) => ({
    type: draft.component_type_slug,
    serial: draft.serial,
    slot: draft.slot,
    name: draft.name,
    vendor: draft.vendor,
    model: draft.model,
    attributes: readAttributes(draft.attributes),
    versionedAttributes: readAttributes(draft.versioned_attributes),
  }));
}
