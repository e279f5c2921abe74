import { ApiError } from '../status.ts';

/** 422 without a reason why: all the real server says about a patch that cannot be applied. */
export function cannotApply(): ApiError {
  const message = 'the server rejected our request due to an error in our request';
  return new ApiError({ code: 422, reason: 'Invalid', message, details: {} });
}

/** 500 without a reason: a mistake in a strategic merge patch that the real server did not foresee. */
export function patchFailed(message: string): ApiError {
  return new ApiError({ code: 500, message });
}
