import { stringify } from 'yaml';

/**
 * A value as YAML. Strings such as `On` and `12:30`, which kubectl and others that read YAML 1.1 would take for
 * something else, come quoted.
 */
export function yamlText(value: object, { isSorted }: { isSorted: boolean }): string {
  return stringify(value, {
    version: '1.1',
    sortMapEntries: isSorted,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
