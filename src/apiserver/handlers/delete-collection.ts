import type { ServerCore } from '../core.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError } from '../status.ts';
import { deleteObject } from './delete.ts';
import type { DeleteOptions } from './delete-options.ts';
import { listObjects, type RenderedPage } from './list.ts';

/** Deletes what a list with the same options would show, no more; answers with what was there. */
export async function deleteCollection(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  options: DeleteOptions,
): Promise<RenderedPage> {
  // It goes through the collection in pages, which makes a version that is asked for an exact one.
  const page = await listObjects(core, context, served, { isExact: true });
  await Promise.all(
    page.keys.map(async ({ bucket, namespace: ns, name }) => {
      try {
        await deleteObject(core, context, served, { key: { bucket, namespace: ns, name }, options });
      } catch (error) {
        // Somebody else deleted it first: that is what was asked for.
        if (!(error instanceof ApiError) || error.code !== 404) throw error;
      }
    }),
  );
  return page;
}
