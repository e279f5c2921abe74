import { rebootWishOf } from '../annotations/read-annotations.ts';
import { isWithoutBmc } from '../credentials/judge-credentials.ts';
import { annotations } from '../resources.ts';
import { withoutError } from '../status/host-status.ts';
import { ask } from './ask.ts';
import {
  attemptOf,
  deploymentWanted,
  isAttemptCancelled,
  isAttempted,
  withAttempt,
  withDeployment,
  withoutAttempt,
} from './deployment.ts';
import { type Found, facts, stepFirst, type Work } from './found.ts';
import { counting, type Draft, type HostEffect, type HostSeen, rest, telling, withStatus } from './seen.ts';

/** Writes to a host what its owner wants on it. */
export function provision({ seen, draft }: Work): Found {
  const { host } = seen;
  // Trouble with a switch port is none of the attempt's.
  const { errorType } = draft.status;
  if (errorType !== undefined && errorType !== 'network error') return afterFailure(seen, draft);
  if (isAttemptCancelled(host, draft.status)) return facts(draft, { wish: 'deprovision' });
  const { config } = seen;
  if (config === undefined) {
    return stepFirst({ kind: 'do', draft, effects: [{ kind: 'read-config', key: 'read-config' }] });
  }
  if (config.kind === 'unreadable') {
    const told = telling(draft, 'Warning', 'HostConfigDataError', config.message);
    const counted = counting(told, 'hostConfigDataError', { labels: { host_data_type: config.part } });
    return stepFirst(rest(counted, { after: seen.settings.secretRetryMs }, 'HostConfigDataError', config.message));
  }
  const isForced = !isWithoutBmc(host) && rebootWishOf(host, { isForcedOnly: true }).isAsked;
  const order = { isRetry: false, deployment: deploymentWanted(host, draft.status), isForced };
  const asked = ask(seen, draft, {
    question: { name: 'provision', order },
    errorType: 'provisioning error',
    isStoredFirst: true,
    onStart: (going) => ({ draft: tellStart(seen, going), effects: forgetReboot(seen) }),
    onFailure: (failed) => ({ draft: forgetRefused(seen, failed) }),
  });
  if (asked.kind === 'not yet') return stepFirst(asked.step);
  const effects = forgetReboot(seen);
  if (effects.length > 0) return stepFirst({ kind: 'do', draft, effects });
  const begun = seen.beganIn === 'provisioning' ? draft : tellStart(seen, draft);
  const done = withStatus(begun, withDeployment(begun.status, attemptOf(host, begun.status)));
  return facts(telling(done, 'Normal', 'ProvisioningComplete', `Image provisioning completed for ${nameOf(seen)}`), {
    work: 'done',
  });
}

/** A failed attempt is cleaned up before the next one. Where nothing was attempted there is nothing to clean up. */
function afterFailure({ host }: HostSeen, draft: Draft): Found {
  if (isAttempted(draft.status)) return facts(draft, { work: 'failed' });
  return stepFirst({ kind: 'again', draft: withStatus(draft, withAttempt(withoutError(draft.status), host)) });
}

/** What runs on a machine in use must not be taken for what was attempted: that is wiped when it failed. */
function forgetRefused({ answers }: HostSeen, draft: Draft): Draft {
  const isRefused = answers.provision?.kind === 'failed' && answers.provision.isInUse === true;
  return isRefused ? withStatus(draft, withoutAttempt(draft.status)) : draft;
}

function tellStart(seen: HostSeen, draft: Draft): Draft {
  return telling(draft, 'Normal', 'ProvisioningStarted', `Image provisioning started for ${nameOf(seen)}`);
}

/** What is written, for people: a URL without what may be a password in it. */
function nameOf({ host, status }: HostSeen): string {
  const { image, customDeploy } = attemptOf(host, status);
  const url = (image?.url ?? '').replace(/\/\/[^/@]*@/, '//');
  return url === '' ? `custom deploy ${customDeploy?.method ?? ''}` : url;
}

function forgetReboot({ host }: HostSeen): HostEffect[] {
  if (!rebootWishOf(host, { isForcedOnly: true }).isOneShot) return [];
  return [{ kind: 'change-host', key: 'forget-reboot', change: { removeAnnotations: [annotations.reboot] } }];
}
