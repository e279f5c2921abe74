import type { JsonSchema } from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource } from '../resource.ts';
import { ageColumn, ageOf, nameColumn, textColumn } from './table.ts';

interface ServiceAccount extends KubeObject {
  secrets?: unknown[];
}

/** Service accounts: who programs are. */
export function serviceAccounts(schema: JsonSchema): BuiltinResource {
  return {
    group: '',
    version: 'v1',
    resource: 'serviceaccounts',
    singular: 'serviceaccount',
    kind: 'ServiceAccount',
    namespaced: true,
    shortNames: ['sa'],
    hasStatus: false,
    extraSubresources: [
      { name: 'token', group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] },
    ],
    schema,
    strategy: { returnsDeleted: true },
    table: {
      columns: [nameColumn, textColumn('Secrets', 'How many secrets it may use.'), ageColumn],
      row: (account: ServiceAccount, now) => [
        account.metadata.name,
        (account.secrets ?? []).length,
        ageOf(account, now),
      ],
    },
  };
}
