import type { Artifact } from '../../firmware-store/index.ts';
import type { Clock, Timer } from '../../kube/index.ts';

/** What an image is opened with. */
export interface ImageOpening {
  readonly signal: AbortSignal;
  readonly onProgress: () => void;
}

/** What keeps a lease. */
export interface LeaseKeeping {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Renews the lease when it is time to; throws when it is lost, and when somebody cancelled. */
  touch(): Promise<void>;
}

const lookMs = 30_000;
/** Longer nobody stands in line for an image: who fetches it has failed by then. */
const longestLineMs = 2 * 3_600_000;

/**
 * Opens an image, which may take longer than a lease lasts. Each piece that comes is progress, and so is standing in line
 * while another fetches the same image; a source that hangs is neither. Ends early when the lease cannot be kept.
 */
export async function openImage(
  open: (opening: ImageOpening) => Promise<Artifact>,
  keeping: LeaseKeeping,
): Promise<Artifact> {
  const { clock, signal } = keeping;
  const ended = new AbortController();
  let touching: Promise<void> | undefined;
  const touch = (): void => {
    if (touching !== undefined || ended.signal.aborted) return;
    touching = keeping
      .touch()
      .catch((error: unknown) => ended.abort(error))
      .finally(() => {
        touching = undefined;
      });
  };
  const line = standInLine(clock, touch);
  const onProgress = (): void => {
    line.leave();
    touch();
  };
  try {
    const artifact = await open({ signal: AbortSignal.any([signal, ended.signal]), onProgress });
    await touching;
    if (ended.signal.aborted) await artifact.release();
    else return artifact;
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    line.leave();
  }
  throw ended.signal.reason;
}

/** Touches again and again until the line is left, or for as long as a line can be. */
function standInLine(clock: Clock, touch: () => void): { leave(): void } {
  const end = clock.monotonic() + longestLineMs;
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = clock.after(lookMs, () => {
      touch();
      if (clock.monotonic() < end) wait();
    });
  };
  wait();
  return { leave: () => timer?.cancel() };
}
