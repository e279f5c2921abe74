import type { JobSight } from '../launcher.ts';
import type { KubeJob, KubePod } from './job-objects.ts';

/** Why a container cannot begin and never will without somebody's help. */
const hopeless: readonly string[] = ['InvalidImageName', 'ErrImageNeverPull', 'CreateContainerConfigError'];

/** Where a Job stands, from the Job and its pods. */
export function sightOf(job: KubeJob, pods: readonly KubePod[]): JobSight {
  // A cluster may start the same pod twice: what becomes of the other says nothing of the one that works.
  if (pods.some(isAtWork)) return { state: 'running' };
  const ended = endOf(job);
  const failure = pods.map(failureOf).find((why) => why !== undefined);
  if (ended?.type === 'Complete') return gone('its Job completed');
  if (ended !== undefined)
    return gone(`its Job failed: ${failure ?? ended.message ?? ended.reason ?? 'it does not say why'}`);
  if (failure !== undefined) return gone(failure);
  // The job is over when its pod is, also before the Job says so.
  if (pods.some(({ status }) => status?.phase === 'Succeeded')) return gone('its pod ended');
  return { state: 'running' };
}

/** How a Job ended; undefined for one that did not. */
export function endOf({ status }: KubeJob) {
  return status?.conditions?.find((one) => one.status === 'True' && (one.type === 'Complete' || one.type === 'Failed'));
}

function isAtWork({ status }: KubePod): boolean {
  const hasEnded = status?.containerStatuses?.some(({ state }) => state?.terminated !== undefined) === true;
  return status?.phase === 'Running' && !hasEnded;
}

function gone(why: string): JobSight {
  return { state: 'gone', why };
}

/** Why a pod failed; undefined for those that did not. */
function failureOf({ metadata, status }: KubePod): string | undefined {
  const name = metadata?.name ?? 'its pod';
  for (const { state } of status?.containerStatuses ?? []) {
    const { terminated, waiting } = state ?? {};
    if (terminated !== undefined && terminated.exitCode !== 0) {
      const { exitCode, reason = 'Error', message = '' } = terminated;
      const said = message.trim().split('\n').at(-1)?.slice(0, 500) ?? '';
      return `pod ${name} ended with ${exitCode} (${reason})${said === '' ? '' : `: ${said}`}`;
    }
    if (hopeless.includes(waiting?.reason ?? ''))
      return `pod ${name} cannot begin: ${waiting?.reason} ${waiting?.message ?? ''}`.trim();
  }
  if (status?.phase !== 'Failed') return undefined;
  return `pod ${name} failed: ${[status.reason, status.message].filter((each) => each !== undefined).join(': ') || 'it does not say why'}`;
}
