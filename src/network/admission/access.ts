import type { AdmissionRequest, KubeClient } from '../../kube/index.ts';

/** Something that somebody wants to do. */
export interface AccessQuestion {
  readonly verb: 'create' | 'update';
  readonly resource: string;
  readonly namespace: string;
}

/** Says whether somebody may do something. */
export type MayDo = (user: AdmissionRequest['userInfo'], question: AccessQuestion) => Promise<boolean>;

interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
}

/** Asks the API who may do what, with all that it knows of them. */
export function createMayDo(client: Pick<KubeClient, 'request'>): MayDo {
  return async ({ username, uid, groups, extra }, { verb, resource, namespace }) => {
    const resourceAttributes = { group: 'metal3.io', resource, verb, namespace };
    const { status } = await client.request<SubjectAccessReview>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: username, uid, groups, extra, resourceAttributes },
      },
      timeoutMs: 5000,
    });
    return status?.allowed === true && status.denied !== true;
  };
}

/** Who describes the switches of a namespace is of the infra team there. */
export function infraQuestion(namespace: string): AccessQuestion {
  return { verb: 'update', resource: 'switches', namespace };
}

/** Who writes configurations in a namespace is a user of the tenant. */
export function tenantQuestion(namespace: string): AccessQuestion {
  return { verb: 'create', resource: 'switchportconfigurations', namespace };
}
