import type { Transaction } from '../../engine/index.ts';
import { type AttributeDraft, check } from '../attributes/attributes.ts';
import { appendVersion } from '../attributes/versioned-attributes.ts';
import type { ComponentDraft } from '../components/component.ts';
import { putComponents, removeComponentsNoted } from '../components/components.ts';
import type { InventoryContext } from '../context.ts';
import type { ObservedServer } from '../servers/fill-server.ts';
import { fillIn, followFilled } from '../servers/filled-servers.ts';
import { requireServer } from '../servers/servers.ts';

/** What somebody read of a server, to be written down together. */
export interface InventoryDraft {
  readonly serverId: string;
  readonly versionedAttributes: readonly AttributeDraft[];
  readonly components: readonly ComponentDraft[];
  /** What it says of the server itself. */
  readonly observed?: ObservedServer | undefined;
  /**
   * Set when all parts were seen: those that carry a versioned attribute of this namespace and are not among the
   * components go, since they were seen before and are not there any more. Without it, what a component leaves empty
   * stays as it is known.
   */
  readonly goneUnless?: string | undefined;
}

/** Inventories as they were read, written all or nothing. */
export interface Inventories {
  /**
   * `guard` runs in the same transaction, first: what it throws is thrown, and then nothing is written. One that ends work
   * on the server locks what it decides on, and asks for `row-locks`.
   */
  write(
    draft: InventoryDraft,
    guard?: (tx: Transaction) => Promise<void>,
    how?: { readonly isolation: 'row-locks' },
  ): Promise<void>;
}

/** The inventories kept in the store. */
export function createInventories(context: InventoryContext): Inventories {
  return {
    async write({ serverId, versionedAttributes, components, observed, goneUnless }, guard, how) {
      const checked = versionedAttributes.map(check);
      const change = await context.database.write(async (tx) => {
        await guard?.(tx);
        const { id } = await requireServer(tx, serverId);
        for (const one of checked) await appendVersion(tx, { kind: 'server', id }, one);
        await putComponents(context, tx, { serverId: id, drafts: components, keepsKnown: goneUnless === undefined });
        if (goneUnless !== undefined) {
          await removeComponentsNoted(tx, { serverId: id, namespace: goneUnless, kept: components });
        }
        return observed === undefined ? undefined : await fillIn(context, tx, { id, observed });
      }, how);
      if (change !== undefined) await followFilled(context, change);
    },
  };
}
