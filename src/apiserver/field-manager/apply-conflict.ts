import { ApiError, mostCauses } from '../status.ts';
import { eachPath, type FieldSet, hasElement, LEAF, SetBuilder, sortSet } from './field-set.ts';
import { type Entry, identityOf, type Owner } from './managed-entries.ts';
import { printPath, valueOrder } from './path-element.ts';

/** Fields an applier wants to change that somebody else owns. */
export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** Thrown inside this room when an apply may not go on; becomes a 409 at the door. */
export class ConflictsFound extends Error {
  override readonly name = 'ConflictsFound';
  readonly conflicts: readonly Conflict[];
  constructor(conflicts: readonly Conflict[]) {
    super('apply conflicts');
    this.conflicts = conflicts;
  }
}

/** The conflict of one entry, or nothing. */
export function conflictOf(entry: Entry, fields: FieldSet): Conflict[] {
  return fields === LEAF ? [] : [{ owner: entry, fields }];
}

/** The conflicts left when those in the set are allowed. */
export function conflictsOutside(conflicts: readonly Conflict[], allowed: FieldSet): Conflict[] {
  return conflicts.flatMap(({ owner, fields }) => {
    const rest = new SetBuilder();
    eachPath(fields, (path) => {
      if (!hasPath(allowed, path)) rest.insert(path);
    });
    return Object.keys(rest.set).length === 0 ? [] : [{ owner, fields: rest.set }];
  });
}

function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path.slice(0, -1)) node = node?.[element];
  return node !== undefined && hasElement(node, path.at(-1) ?? '');
}

/** The 409 a client gets: every field, and whose it is. */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const sorted = [...conflicts].sort((a, b) => (identityOf(a.owner) < identityOf(b.owner) ? -1 : 1));
  const causes: { reason: string; message: string; field: string }[] = [];
  const lines: string[] = [];
  let count = 0;
  for (const { owner, fields } of sorted) {
    lines.push(`conflicts with ${printOwner(owner)}:`);
    eachPath(sortSet(fields, valueOrder), (path) => {
      if (++count > mostCauses) return;
      const field = printPath(path);
      causes.push({ reason: 'FieldManagerConflict', message: `conflict with ${printOwner(owner)}`, field });
      lines.push(`- ${field}`);
    });
  }
  if (count > mostCauses) lines.push(`and ${count - mostCauses} more`);
  const [first] = causes;
  const message =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
  return new ApiError({ code: 409, reason: 'Conflict', message, details: { causes } });
}

function printOwner(owner: Owner): string {
  const subresource = owner.subresource === '' ? '' : ` with subresource ${JSON.stringify(owner.subresource)}`;
  const using = owner.operation === 'Update' ? ` using ${owner.apiVersion}` : '';
  return `${JSON.stringify(owner.manager)}${subresource}${using}`;
}
