import type { AnyKubeObject } from '../../kube/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { OutputForm } from '../output/output-form.ts';
import { documentText } from '../output/show.ts';
import { objectName } from './targets.ts';

/** Objects in any form but that of a table. */
export function formatWhole(
  objects: readonly AnyKubeObject[],
  output: Exclude<OutputForm, { form: 'table' }>,
  { isSingle, hasManagedFields = false }: { readonly isSingle: boolean; readonly hasManagedFields?: boolean },
): string {
  if (output.form === 'name') return objects.map((object) => `${objectName(object)}\n`).join('');
  if (output.form === 'jsonpath') {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    return output.template((isSingle ? (objects[0] ?? {}) : list) as unknown as JsonObject);
  }
  return formatObjects(objects, { form: output.form, isSingle, hasManagedFields });
}

/** Objects in one of the forms that show them whole; several become a List. */
export function formatObjects(
  objects: readonly AnyKubeObject[],
  options: { readonly form: 'json' | 'yaml'; readonly isSingle: boolean; readonly hasManagedFields: boolean },
): string {
  const shown = options.hasManagedFields ? objects : objects.map(withoutManagedFields);
  const document =
    options.isSingle && shown.length === 1
      ? shown[0]
      : { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: shown };
  return documentText(document ?? {}, options.form);
}

/** An object without the record of who owns which field, which is long and rarely asked for. */
export function withoutManagedFields(object: AnyKubeObject): AnyKubeObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
