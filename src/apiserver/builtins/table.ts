import { ageText } from '../../kube/index.ts';
import type { KubeObject } from '../object.ts';
import type { TableColumn, TablePrinter } from '../resource.ts';

/** The first column of every table. */
export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object, unique among its kind in its namespace.',
};

/** The age column most tables end with. */
export const ageColumn: TableColumn = {
  name: 'Age',
  type: 'string',
  description: 'How long ago the object was created.',
};

/** A text column. */
export function textColumn(name: string, description: string, priority = 0): TableColumn {
  return { name, type: 'string', description, priority };
}

/** How long ago an object was created, or `<unknown>`. */
export function ageOf(object: KubeObject, now: Date): string {
  const created = object.metadata.creationTimestamp;
  return created === undefined || created === null ? '<unknown>' : ageText(created, now);
}

/** A table of name, the given columns and age. */
export function nameAndAge(
  columns: readonly TableColumn[],
  cells: (object: KubeObject, now: Date) => unknown[],
): TablePrinter {
  return {
    columns: [nameColumn, ...columns, ageColumn],
    row: (object, now) => [object.metadata.name, ...cells(object, now), ageOf(object, now)],
  };
}
