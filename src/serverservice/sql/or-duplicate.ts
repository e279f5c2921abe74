import { UniqueViolation } from '../../engine/index.ts';
import { InventoryError } from '../errors.ts';

/** Two that take one name at once both find it free; the index lets one have it, and the other is told as if it came later. */
export async function orDuplicate<T>(
  work: Promise<T>,
  taken: { readonly what: string; readonly fields: string; readonly holder: string },
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UniqueViolation) throw new InventoryError('duplicate', taken, { cause: error });
    throw error;
  }
}
