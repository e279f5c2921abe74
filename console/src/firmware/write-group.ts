import { resources } from '../api/kinds.ts';
import { getObject } from '../api/objects.ts';
import { RefusedError } from '../api/refused.ts';
import type { FirmwareGroup } from './group-draft.ts';

const maxTries = 10;
/** A controller that is at its servers writes twice a second: the tries are spread over more than it is at them. */
const pauseMs = 150;

/**
 * Does something with a group in its newest version. Its controller writes the status while somebody fills in a form, and that
 * makes a new version each time: only another wish, which is a new generation, is in the way.
 */
export async function withNewestVersion<T>(
  group: FirmwareGroup,
  base: FirmwareGroup | undefined,
  act: (group: FirmwareGroup) => Promise<T>,
): Promise<T> {
  let given = group;
  for (let tries = 1; ; tries++) {
    try {
      return await act(given);
    } catch (error) {
      if (base === undefined || tries >= maxTries || !(error instanceof RefusedError) || error.status !== 409)
        throw error;
      await new Promise((resolve) => setTimeout(resolve, tries * pauseMs));
      const current = await getObject<FirmwareGroup>(resources.firmwareGroups, { name: group.metadata.name });
      if (current === undefined || current.metadata.generation !== base.metadata.generation) {
        throw new Error('Somebody else changed the group meanwhile: reload the page to see how.', { cause: error });
      }
      const { resourceVersion } = current.metadata;
      given = {
        ...group,
        metadata: { ...group.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      };
    }
  }
}
