import type { StepReport, Work } from '../../../engine/index.ts';
import type { Clock } from '../../../kube/index.ts';
import { signalGroup } from './command-group.ts';
import { findTools, type RunningTool, sweepToolFolders } from './tool-folders.ts';

const lookEveryMs = 1000;
const killAfterMs = 5000;

/**
 * Waits until no command runs on this machine for a BMC: a process that was killed leaves its command at work, and two at
 * once would ruin what they write. The lease is renewed meanwhile, and a cancel waits too.
 */
export async function awaitTools(
  work: Work,
  {
    origin,
    clock,
    shown,
  }: { readonly origin: string; readonly clock: Clock; readonly shown: () => StepReport['status'] },
): Promise<void> {
  let toldAt: number | undefined;
  const tell = async (isCancelUnsafe: boolean): Promise<void> => {
    toldAt = clock.monotonic();
    const status = shown();
    await work.report({ ...(status === undefined ? {} : { status }), isCancelUnsafe });
  };
  for (;;) {
    const running = await findTools(origin);
    if (running.length === 0) break;
    if (toldAt === undefined || clock.monotonic() - toldAt >= work.lease.leaseMs / 4) await tell(true);
    for (const each of running) await endWhenLate(each, clock.now());
    await work.pause(lookEveryMs);
  }
  await sweepToolFolders();
  if (toldAt !== undefined) await tell(false);
}

/** Who started it would have ended it by then. */
async function endWhenLate({ tool, endsBy, isOrphan }: RunningTool, now: number): Promise<void> {
  if (isOrphan && now >= endsBy) await signalGroup(tool, now < endsBy + killAfterMs ? 'SIGTERM' : 'SIGKILL');
}
