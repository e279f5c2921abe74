import type { KindDeclaration } from './declare.ts';
import {
  controllerRoleOf,
  leaseRole,
  machineControllerRoleOf,
  networkControllerRoleOf,
  personaRolesOf,
} from './persona-roles.ts';
import { referenceFileOf, referenceIndexOf, referencePageOf } from './reference-page.ts';
import { kindRolesOf } from './roles.ts';
import { serviceRoles } from './service-roles.ts';
import { crdOf } from './to-crd.ts';
import { yamlText } from './yaml-text.ts';

/** Folders whose every file is generated, relative to the package. */
export const generatedFolders = ['deploy/crds', 'deploy/rbac', 'docs/reference/kinds'] as const;

const yamlHead = '# Generated from src/api; do not edit.\n';

/** Every file generated from the declarations, by its path relative to the package. */
export function generatedFilesOf(kinds: readonly KindDeclaration[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const kind of kinds) {
    files.set(`deploy/crds/${kind.group}_${kind.plural}.yaml`, yamlOf([crdOf(kind)]));
    files.set(`deploy/rbac/${kind.group}_${kind.plural}.yaml`, yamlOf(kindRolesOf(kind)));
    files.set(`docs/reference/kinds/${referenceFileOf(kind)}`, referencePageOf(kind));
  }
  const controllers = [
    controllerRoleOf(kinds),
    networkControllerRoleOf(kinds),
    machineControllerRoleOf(kinds),
    leaseRole(),
  ];
  for (const role of [...personaRolesOf(kinds), ...serviceRoles(), ...controllers]) {
    files.set(`deploy/rbac/${role.metadata.name}.yaml`, yamlOf([role]));
  }
  files.set('docs/reference/kinds/README.md', referenceIndexOf(kinds));
  return files;
}

/** Documents as YAML, keys sorted, so that the text depends on nothing but the values. */
export function yamlOf(documents: readonly object[]): string {
  return yamlHead + documents.map((document) => `---\n${yamlText(document, { isSorted: true })}`).join('');
}
