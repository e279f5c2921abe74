import type { JsonSchema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object.ts';

/** A printer column as a CustomResourceDefinition declares it. */
export interface CrdColumn {
  name: string;
  type: string;
  jsonPath: string;
  description?: string;
  format?: string;
  priority?: number;
}

/** One version of a CustomResourceDefinition. */
export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonSchema };
  subresources?: {
    status?: object;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: CrdColumn[];
  selectableFields?: { jsonPath: string }[];
}

/** How to reach a webhook. */
export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  caBundle?: string;
}

/** The names a CustomResourceDefinition claims. */
export interface CrdNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** apiextensions.k8s.io/v1 CustomResourceDefinition. */
export interface Crd {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec: {
    group: string;
    names: CrdNames;
    scope: 'Namespaced' | 'Cluster';
    versions: CrdVersion[];
    conversion?: {
      strategy: 'None' | 'Webhook';
      webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions: string[] };
    };
    preserveUnknownFields?: boolean;
  };
  status?: {
    conditions?: CrdCondition[] | null;
    acceptedNames?: Partial<CrdNames>;
    storedVersions?: string[] | null;
  };
}

/** A condition of a CustomResourceDefinition. */
export interface CrdCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Where CustomResourceDefinitions are stored. */
export const crdBucket = 'apiextensions.k8s.io/customresourcedefinitions';

/** Holds a definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** The conditions of a definition with one set; its time changes only with its status. */
export function withCondition(crd: Crd, condition: CrdCondition, time: string): CrdCondition[] {
  const before = crd.status?.conditions ?? [];
  const index = before.findIndex(({ type }) => type === condition.type);
  const was = before[index];
  const { type, status, reason, message } = condition;
  const next: CrdCondition = {
    type,
    status,
    lastTransitionTime: was?.status === status ? (was.lastTransitionTime ?? time) : time,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  return was === undefined ? [...before, next] : before.with(index, next);
}
