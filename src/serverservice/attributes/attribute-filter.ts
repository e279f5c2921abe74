import type { SqlValue } from '../../engine/index.ts';
import { InventoryError } from '../errors.ts';
import type { SqlPiece } from '../sql/where.ts';

/** How a value is compared. `like` takes % for any characters, in texts; `gt` and `lt` compare numbers. */
export const filterOperators = ['eq', 'like', 'gt', 'lt'] as const;

/** How a value is compared. */
export type FilterOperator = (typeof filterOperators)[number];

/** One condition on attributes: `namespace~key.path~operator~value`, and how it is joined to the one before. */
export interface AttributeFilter {
  readonly namespace: string;
  /** Without one it is enough that the namespace is there. */
  readonly comparison:
    | { readonly path: readonly string[]; readonly operator: FilterOperator; readonly value: string }
    | undefined;
  readonly join: 'and' | 'or';
}

/** What a filter of attributes is compiled for. */
export interface FilterTarget {
  readonly dialect: 'sqlite' | 'postgres';
  /** The name of the query's parameter, for messages. */
  readonly name: 'attr' | 'ver_attr';
  /** `server`, and the column that has its id: `s.id`. */
  readonly ownerKind: 'server' | 'component';
  readonly ownerColumn: string;
}

const limits = { filters: 10, text: 1000, segments: 10, wildcards: 8 };
/** No quotes and no backslash, since paths are quoted in SQLite, and no bare numbers, which would mean list positions. */
const segment = /^(?!\d+$)[^"\\.\p{Cc}]{1,100}$/u;

/** Reads the filters of a query. Throws `badFilter` with the reasons. */
export function parseAttributeFilters(texts: readonly string[], name: FilterTarget['name']): AttributeFilter[] {
  if (texts.length > limits.filters) throw refuse(name, `there are more than ${limits.filters} of them`);
  return texts.map((text) => parseFilter(text, name));
}

function parseFilter(text: string, name: FilterTarget['name']): AttributeFilter {
  if (text.length > limits.text) throw refuse(name, `it is longer than ${limits.text} characters`);
  const parts = text.split('~');
  const last = parts.at(-1);
  const isJoined = (last === 'or' || last === 'and') && (parts.length === 2 || parts.length >= 5);
  const join = isJoined && last === 'or' ? 'or' : 'and';
  const [namespace = '', keys, operator, ...rest] = isJoined ? parts.slice(0, -1) : parts;
  if (namespace === '') throw refuse(name, 'it begins with a namespace');
  if (keys === undefined) return { namespace, comparison: undefined, join };
  const path = keys.split('.');
  if (path.length > limits.segments || !path.every((one) => segment.test(one)))
    throw refuse(name, `its key is up to ${limits.segments} names with dots between, without quotes or positions`);
  const known = filterOperators.find((one) => one === operator);
  if (known === undefined) throw refuse(name, `its operator is one of ${filterOperators.join(', ')}`);
  if (rest.length === 0) throw refuse(name, 'it has no value: namespace~key~operator~value');
  const value = rest.join('~');
  checkValue(name, known, value);
  return { namespace, comparison: { path, operator: known, value }, join };
}

function checkValue(name: FilterTarget['name'], operator: FilterOperator, value: string): void {
  if ((operator === 'gt' || operator === 'lt') && numberIn(value) === undefined)
    throw refuse(name, `${operator} compares numbers, and the value is none`);
  if (operator === 'like' && value.split('%').length - 1 > limits.wildcards)
    throw refuse(name, `like takes at most ${limits.wildcards} times %`);
}

function refuse(name: string, problem: string): InventoryError {
  return new InventoryError('badFilter', { name }, { problems: [problem] });
}

/** The condition of all filters, joined from left to right. */
export function compileAttributeFilters(filters: readonly AttributeFilter[], target: FilterTarget): SqlPiece {
  return filters
    .map((filter) => ({ filter, piece: exists(filter, target) }))
    .reduce<SqlPiece>(
      (all, { filter, piece }) => {
        if (all.sql === '') return piece;
        const word = filter.join === 'or' ? 'OR' : 'AND';
        return { sql: `(${all.sql}) ${word} (${piece.sql})`, values: [...all.values, ...piece.values] };
      },
      { sql: '', values: [] },
    );
}

function exists({ namespace, comparison }: AttributeFilter, target: FilterTarget): SqlPiece {
  const { ownerKind, ownerColumn, name } = target;
  const table = name === 'attr' ? 'inventory_attributes a' : 'inventory_versioned_attributes a';
  const latest = name === 'attr' ? '' : ' AND a.is_latest = 1';
  const owner = `a.owner_kind = '${ownerKind}' AND a.owner_id = ${ownerColumn} AND a.namespace = ?${latest}`;
  const compared =
    comparison === undefined ? undefined : target.dialect === 'sqlite' ? inSqlite(comparison) : inPostgres(comparison);
  const more = compared === undefined ? '' : ` AND (${compared.sql})`;
  return {
    sql: `EXISTS (SELECT 1 FROM ${table} WHERE ${owner}${more})`,
    values: [namespace, ...(compared?.values ?? [])],
  };
}

type Comparison = NonNullable<AttributeFilter['comparison']>;

/** SQLite takes the path as one value. GLOB, unlike its LIKE, tells upper from lower case as PostgreSQL does. */
function inSqlite({ path, operator, value }: Comparison): SqlPiece {
  const at = `$${path.map((one) => `."${one}"`).join('')}`;
  const isNumber = `json_type(a.data, ?) IN ('integer', 'real')`;
  const number = `json_extract(a.data, ?)`;
  const text = `CASE json_type(a.data, ?) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
    WHEN 'text' THEN json_extract(a.data, ?) END`;
  if (operator === 'like') return { sql: `${text} GLOB ?`, values: [at, at, toGlob(value)] };
  return compare({ operator, value, isNumber, number, text }, { isNumber: [at], number: [at], text: [at, at] });
}

/** PostgreSQL takes each name of the path as a value. */
function inPostgres({ path, operator, value }: Comparison): SqlPiece {
  const at = `jsonb_extract_path(CAST(a.data AS JSONB), ${path.map(() => 'CAST(? AS TEXT)').join(', ')})`;
  const isNumber = `jsonb_typeof(${at}) = 'number'`;
  const number = `CASE WHEN jsonb_typeof(${at}) = 'number' THEN CAST(CAST(${at} AS TEXT) AS NUMERIC) END`;
  const plain = `jsonb_extract_path_text(CAST(a.data AS JSONB), ${path.map(() => 'CAST(? AS TEXT)').join(', ')})`;
  const text = `CASE WHEN jsonb_typeof(${at}) IN ('string', 'boolean') THEN ${plain} END`;
  if (operator === 'like') return { sql: `${text} LIKE ?`, values: [...path, ...path, toLike(value)] };
  const twice = [...path, ...path];
  return compare({ operator, value, isNumber, number, text }, { isNumber: path, number: twice, text: twice });
}

interface ComparisonText {
  readonly operator: FilterOperator;
  readonly value: string;
  readonly isNumber: string;
  readonly number: string;
  readonly text: string;
}

function compare(
  { operator, value, isNumber, number, text }: ComparisonText,
  paths: Readonly<Record<'isNumber' | 'number' | 'text', readonly SqlValue[]>>,
): SqlPiece {
  const wanted = numberIn(value);
  if (operator !== 'eq') {
    const sign = operator === 'gt' ? '>' : '<';
    return {
      sql: `${isNumber} AND ${number} ${sign} ?`,
      values: [...paths.isNumber, ...paths.number, wanted ?? 0],
    };
  }
  const asText = { sql: `${text} = ?`, values: [...paths.text, value] };
  if (wanted === undefined) return asText;
  return {
    sql: `(${isNumber} AND ${number} = ?) OR ${asText.sql}`,
    values: [...paths.isNumber, ...paths.number, wanted, ...asText.values],
  };
}

function numberIn(text: string): number | undefined {
  if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return undefined;
  return Number(text);
}

function toGlob(pattern: string): string {
  return pattern.replaceAll(/[*?[]/g, '[$&]').replaceAll('%', '*');
}

function toLike(pattern: string): string {
  return pattern.replaceAll(/[\\_]/g, '\\$&');
}
