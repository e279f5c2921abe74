import { type FieldError, invalidError, type JsonSchema } from '../../schema/index.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource } from '../resource.ts';
import { negativeFaults } from './checks.ts';
import { ageColumn, ageOf, nameColumn, textColumn } from './table.ts';

interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    leaseTransitions?: number;
    strategy?: string;
    preferredHolder?: string;
  };
}

function validate({ spec = {} }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  const duration = spec.leaseDurationSeconds;
  if (duration !== undefined && duration <= 0)
    errors.push(invalidError('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  errors.push(...negativeFaults(spec.leaseTransitions, 'spec.leaseTransitions'));
  return errors;
}

/** Leader election by the server is off, and so are the fields that ask for it. */
function dropUnserved(lease: Lease): void {
  delete lease.spec?.strategy;
  delete lease.spec?.preferredHolder;
}

/** Leases: who leads. */
export function leases(schema: JsonSchema): BuiltinResource {
  return {
    group: 'coordination.k8s.io',
    version: 'v1',
    resource: 'leases',
    singular: 'lease',
    kind: 'Lease',
    namespaced: true,
    hasStatus: false,
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
    schema,
    strategy: { prepareForCreate: dropUnserved, prepareForUpdate: dropUnserved, validate, validateUpdate: validate },
    table: {
      columns: [nameColumn, textColumn('Holder', 'Who holds it.'), ageColumn],
      row: (lease: Lease, now) => [lease.metadata.name, lease.spec?.holderIdentity ?? '', ageOf(lease, now)],
    },
  };
}
