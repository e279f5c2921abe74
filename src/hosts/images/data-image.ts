import type { DataImage, DataImageStatus } from '../../api/index.ts';
import { isBeingDeleted } from '../../kube/index.ts';
import { ask } from '../decide/ask.ts';
import { type Draft, type HostSeen, rest, type Step } from '../decide/seen.ts';
import { retryDelayMs } from '../status/host-status.ts';
import type { ImageEffect } from './images-seen.ts';

/** What should be in the virtual drive of a host; empty for nothing. */
export function wantedUrlOf(image: DataImage): string {
  return isBeingDeleted(image) ? '' : (image.spec?.url ?? '');
}

/** What is in it as far as we know. */
export function attachedUrlOf({ status }: DataImage): string {
  return status?.attachedImage?.url ?? '';
}

/** Changes what is in the virtual drive of a host that is about to be switched on; undefined when that is as it should be. */
export function dataImageStep(seen: HostSeen, draft: Draft): Step | undefined {
  const { dataImage } = seen.images;
  if (dataImage === undefined) return undefined;
  const [wanted, attached] = [wantedUrlOf(dataImage), attachedUrlOf(dataImage)];
  if (wanted === attached) return undefined;
  const isRetry = (dataImage.status?.error?.count ?? 0) > 0;
  const name = attached === '' ? 'attach-image' : 'eject-image';
  const answer = seen.answers[name];
  if (answer?.kind === 'failed') {
    const count = (dataImage.status?.error?.count ?? 0) + 1;
    const { message } = answer;
    const failed = tell({ ...dataImage.status, error: { count, message } });
    const why = [{ code: 'DataImageFailed', message }];
    return { kind: 'rest', draft, wake: { after: retryDelayMs(count, seen.share) }, why, effects: [failed] };
  }
  if (answer?.kind === 'continue' && isRetry) {
    // It has begun anew, so it has not failed yet; and only so is it not begun anew at every look.
    const step = rest(draft, { after: answer.afterMs }, 'UnderWay', `its provisioner goes on with: ${name}`);
    const { error: _, ...begun } = dataImage.status ?? {};
    return { ...step, effects: [tell(begun)] } as Step;
  }
  const question =
    name === 'attach-image'
      ? ({ name, order: { isRetry, url: wanted } } as const)
      : ({ name, order: { isRetry } } as const);
  const asked = ask(seen, draft, { question, errorType: 'power management error' });
  if (asked.kind === 'not yet') return asked.step;
  const { error: _, attachedImage: __, ...before } = dataImage.status ?? {};
  const status = name === 'attach-image' ? { ...before, attachedImage: { url: wanted } } : before;
  return { kind: 'do', draft, effects: [tell(status)] };
}

function tell(status: DataImageStatus): ImageEffect {
  return { kind: 'tell-data-image', key: 'tell-data-image', status };
}
