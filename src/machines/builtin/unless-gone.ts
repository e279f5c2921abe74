import { isAlreadyExists, isNotFound, ok, type Result } from '../../kube/index.ts';

/** Writes; what is gone, or there already, is fine. */
export async function unlessGone(write: () => Promise<unknown>): Promise<Result> {
  try {
    await write();
  } catch (error) {
    if (!isNotFound(error) && !isAlreadyExists(error)) throw error;
  }
  return ok();
}
