import { isExpired, type ServedResource } from '../../kube/index.ts';
import type { Session, SessionFlags } from './session.ts';
import { type Table, type TableStyle, tableType } from './table.ts';
import { kindName, pathOf, type Target } from './targets.ts';

/** The flags of `get`. */
export interface GetFlags extends SessionFlags {
  readonly output?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly watch?: boolean;
  readonly watchOnly?: boolean;
  readonly headers: boolean;
  readonly showLabels?: boolean;
  readonly showManagedFields?: boolean;
  readonly ignoreNotFound?: boolean;
}

/** The namespace to look in; undefined for all of them. */
export function namespaceOf(
  resource: ServedResource,
  flags: Pick<GetFlags, 'allNamespaces'>,
  session: Session,
): string | undefined {
  return !resource.namespaced || flags.allNamespaces === true ? undefined : session.namespace;
}

/** How rows of a target are shown. */
export function tableStyle(
  { resource }: Target,
  { flags, isWide, hasPrefix }: { flags: GetFlags; isWide: boolean; hasPrefix: boolean },
): TableStyle {
  return {
    isWide,
    hasNamespaces: flags.allNamespaces === true && resource.namespaced,
    hasLabels: flags.showLabels === true,
    prefix: hasPrefix ? `${kindName(resource)}/` : '',
  };
}

/** All pages of a table; when the pages expire half-way, all of it at once. */
export async function readWholeTable(
  { resource }: Target,
  options: {
    flags: GetFlags;
    session: Session;
    namespace: string | undefined;
    fieldSelector?: string;
    pageSize?: number;
  },
): Promise<Table> {
  const { flags, session, namespace } = options;
  const parts: Table[] = [];
  let token: string | undefined;
  try {
    do {
      const part: Table = await session.client.request<Table>({
        method: 'GET',
        path: pathOf(resource, namespace),
        accept: tableType,
        query: {
          limit: options.pageSize ?? 500,
          continue: token,
          labelSelector: flags.selector,
          fieldSelector: options.fieldSelector ?? flags.fieldSelector,
        },
      });
      parts.push(part);
      token = part.metadata?.continue;
    } while (token !== undefined && token !== '');
  } catch (error) {
    if (!isExpired(error) || parts.length === 0) throw error;
    return readWholeTable({ resource, names: undefined }, { ...options, pageSize: 0 });
  }
  return { ...parts[0], metadata: parts.at(-1)?.metadata ?? {}, rows: parts.flatMap(({ rows }) => rows ?? []) };
}
