import { useQuery } from '@tanstack/react-query';
import type { Resource } from './kinds.ts';
import { ask } from './request.ts';

/** What somebody wants to do. */
export interface Wish {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Whether it may be done, and why not; undefined while the answer is awaited. */
export interface Verdict {
  readonly isAllowed: boolean | undefined;
  /** For people, where it may not. */
  readonly why: string;
}

interface Review {
  readonly status?: { readonly allowed: boolean; readonly reason?: string };
}

/** The REST services' conditions, as roles name them. */
export const conditionsResource = { group: 'rackwright.io', plural: 'conditions' };

/** Asks the server whether whoever is logged in may do something. */
export async function reviewAccess({ verb, resource, namespace, name }: Wish): Promise<Verdict> {
  const { status } = await ask<Review>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb,
          group: resource.group,
          resource: resource.plural,
          ...(namespace === undefined ? {} : { namespace }),
          ...(name === undefined ? {} : { name }),
        },
      },
    },
  });
  if (status?.allowed === true) return { isAllowed: true, why: '' };
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return { isAllowed: false, why: `Your roles do not let you ${verb} ${resource.plural}${where}.` };
}

/** The same for a page; asked again every minute, for rights come and go while somebody looks. */
export function useAccess(wish: Wish): Verdict {
  const { verb, resource, namespace, name } = wish;
  const { data, error } = useQuery({
    queryKey: ['access', verb, resource.group, resource.plural, namespace ?? '', name ?? ''],
    queryFn: () => reviewAccess(wish),
    staleTime: 60_000,
    refetchInterval: 60_000,
  });
  if (data !== undefined) return data;
  if (error !== null) return { isAllowed: false, why: 'It could not be found out whether you may do this.' };
  return { isAllowed: undefined, why: 'Finding out whether you may do this …' };
}
