import { ApiError } from '../status.ts';

/** 401 as kube-apiserver says it: nothing about what was wrong. */
export function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}
