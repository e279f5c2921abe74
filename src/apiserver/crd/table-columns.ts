import { ageText } from '../../kube/index.ts';
import { compileJsonPath, type Json } from '../../schema/index.ts';
import { asJson, type KubeObject } from '../object.ts';
import type { TableColumn, TablePrinter } from '../resource.ts';
import type { CrdColumn } from './crd-object.ts';

const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object, unique among its kind in its namespace.',
};

const ageColumn: CrdColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'How long ago the object was created.',
};

/** The table of a custom resource: its name, then its declared columns, or its age when it declares none. */
export function customTable(columns: readonly CrdColumn[] | undefined): TablePrinter {
  const declared = columns === undefined || columns.length === 0 ? [ageColumn] : columns;
  const cells = declared.map(compileCell);
  return {
    columns: [nameColumn, ...declared.map(columnOf)],
    row: (object, now) => [object.metadata.name ?? '', ...cells.map((cell) => cell(object, now))],
  };
}

function columnOf(column: CrdColumn): TableColumn {
  return {
    name: column.name,
    type: column.type as TableColumn['type'],
    format: column.format ?? '',
    description: column.description ?? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
    priority: column.priority ?? 0,
  };
}

function compileCell(column: CrdColumn): (object: KubeObject, now: Date) => unknown {
  const path = compileJsonPath(column.jsonPath);
  if ('error' in path) return () => null;
  return (object, now) => {
    const first = path.find(asJson(object))[0];
    return first === undefined || first === null ? null : cellValue(column.type, first, now);
  };
}

function cellValue(type: string, value: Json, now: Date): unknown {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageText(value, now) : null;
    default:
      return typeof value === 'string' ? value : printText(value);
  }
}

/** Numbers and booleans as text, lists and objects as JSON: what a string column shows. */
function printText(value: Json): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
