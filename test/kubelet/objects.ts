import type { KubeObject, ResourceRef } from '../../src/kube/index.ts';

/** A container as far as the test kubelet runs it. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
  }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

/** A Pod as far as the test kubelet runs it. */
export interface Pod extends KubeObject {
  spec?: {
    readonly nodeName?: string;
    readonly containers: readonly Container[];
    readonly terminationGracePeriodSeconds?: number;
    readonly volumes?: readonly { readonly name: string; readonly secret?: { readonly secretName?: string } }[];
  };
  status?: { readonly phase?: string; readonly [field: string]: unknown };
}

/** A Job as far as it is looked after here. */
export interface Job extends KubeObject {
  spec?: { readonly template?: { readonly metadata?: object; readonly spec?: object }; readonly suspend?: boolean };
  status?: { readonly startTime?: string; readonly conditions?: readonly { readonly type: string }[] };
}

/** A Secret. */
export interface Secret extends KubeObject {
  data?: Readonly<Record<string, string>>;
}

/** Where these are served. */
export const refs = {
  pods: { group: '', version: 'v1', resource: 'pods', namespaced: true, kind: 'Pod' },
  secrets: { group: '', version: 'v1', resource: 'secrets', namespaced: true, kind: 'Secret' },
  jobs: { group: 'batch', version: 'v1', resource: 'jobs', namespaced: true, kind: 'Job' },
} as const satisfies Record<string, ResourceRef>;
