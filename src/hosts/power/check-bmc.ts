import type { Instant } from '../../kube/index.ts';
import { confirmMs, isLost, judgeReachability, withReachability } from '../conditions/reachability.ts';
import { counting, type Draft, type HostSeen, releaseWork, type Step, telling, withStatus } from '../decide/seen.ts';
import { isServiceOpen } from '../status/host-status.ts';

/** A host that can go on, or what to do until its BMC answers. */
export type Checked =
  | { readonly kind: 'answers'; readonly draft: Draft }
  | { readonly kind: 'silent'; readonly step: Step };

/**
 * A host whose BMC does not answer is left as it is: what was asked of it waits. A live update goes on, since it restarts
 * BMCs itself.
 */
export function checkBmc(seen: HostSeen, draft: Draft, now: Instant): Checked {
  const problem = seen.answers.look?.kind === 'done' ? seen.answers.look.value.bmcProblem : undefined;
  const reached = judgeReachability(problem, { status: draft.status, now });
  const judged = withStatus(draft, withReachability(draft.status, reached));
  if (reached.kind === 'answers' || isServiceOpen(draft.status)) return { kind: 'answers', draft: judged };
  const isToBeConfirmed = reached.kind === 'doubtful' && problem?.kind === 'passing';
  const after = isToBeConfirmed ? confirmMs : seen.settings.powerPollMs;
  const why = [{ code: 'BMCUnreachable', message: reached.message }];
  const told = reached.kind === 'lost' && !isLost(draft.status) ? tellLost(judged, reached.message) : judged;
  return { kind: 'silent', step: { kind: 'rest', draft: told, wake: { after }, why, effects: [releaseWork] } };
}

function tellLost(draft: Draft, message: string): Draft {
  const told = telling(draft, 'Warning', 'PowerManagementError', message);
  return counting(told, 'hostError', { labels: { error_type: 'power management error' } });
}
