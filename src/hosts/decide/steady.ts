import { isSameJson } from '../../kube/index.ts';
import { isInspectionAsked, isInspectionDisabled } from '../annotations/read-annotations.ts';
import { isLost } from '../conditions/reachability.ts';
import { managePower } from '../power/manage-power.ts';
import { giveUpFirst } from '../servicing/decide-service.ts';
import { withError, withoutError, withSuccess } from '../status/host-status.ts';
import { ask } from './ask.ts';
import { areSettingsDirty, deploymentIn, isProvisioningCancelled, needsProvisioning } from './deployment.ts';
import { firmwareWishOf } from './firmware-wish.ts';
import { type Found, facts, stepFirst, type Work } from './found.ts';
import { counting, type Draft, type HostSeen, rest, telling, withStatus } from './seen.ts';

/** Waits for what its owner wants of a host that nobody uses. */
export function beAvailable({ seen, draft: given, now }: Work): Found {
  const { host } = seen;
  const draft = countAttempts(seen, given);
  if (host.spec?.externallyProvisioned === true) return facts(draft, { wish: 'leave alone' });
  if (isInspectionAsked(host) && !isInspectionDisabled(host)) return facts(draft, { wish: 'inspect' });
  // Whatever is begun on a host whose BMC is lost fails.
  if (isLost(draft.status)) return stepFirst(managePower(seen, draft, now));
  const firmware = firmwareWishOf(seen);
  const isFirmwareDirty = firmware.settings !== undefined || firmware.updates !== undefined;
  if (isFirmwareDirty || areSettingsDirty(host, draft.status)) return facts(draft, { wish: 'prepare' });
  if (!needsProvisioning(host, draft.status)) return stepFirst(managePower(seen, draft, now));
  if (!firmware.isReady) {
    const wake = { after: seen.settings.companionWaitMs };
    return stepFirst(rest(draft, wake, 'FirmwareUnread', 'its firmware companions are not up to date yet'));
  }
  const limit = seen.settings.maxProvisioningRetries;
  const failures = draft.status.provisioningFailCount;
  if (limit > 0 && failures >= limit) return stepFirst(managePower(seen, tellLimit(draft, { failures, limit }), now));
  return facts(withStatus(draft, withoutError(draft.status)), { wish: 'provision' });
}

/** Another image, or none, begins a new count of attempts. */
function countAttempts({ host }: HostSeen, draft: Draft): Draft {
  const { provisioningFailCount, lastAttemptedImage, ...rest } = draft.status;
  if (provisioningFailCount === 0) return draft;
  const image = host.spec?.image;
  const isRemoved = (image?.url ?? '') === '' && host.spec?.customDeploy === undefined;
  const isOther = image !== undefined && !isSameJson(image, lastAttemptedImage);
  if (!isRemoved && !isOther) return draft;
  return withStatus(draft, withoutError({ ...rest, provisioningFailCount: 0 }, 'provisioning error'));
}

function tellLimit(draft: Draft, { failures, limit }: { readonly failures: number; readonly limit: number }): Draft {
  const message = `provisioning failed ${failures} times, retry limit (${limit}) reached; change image or reset provisioningFailCount to retry`;
  if (draft.status.errorMessage === message) return draft;
  const told = telling(
    withStatus(draft, withError(draft.status, 'provisioning error', message)),
    'Warning',
    'ProvisioningError',
    message,
  );
  return counting(told, 'hostError', { labels: { error_type: 'provisioning error' } });
}

/** Keeps a host in use as it is. */
export function beProvisioned(work: Work): Found {
  const { seen, draft, now } = work;
  if (!isProvisioningCancelled(seen.host, draft.status)) return keep(work);
  // Afterwards nobody could tell what was installed.
  const givenUp = giveUpFirst(seen, draft, { end: 'deprovisioned', now });
  return givenUp === undefined ? facts(draft, { wish: 'deprovision' }) : stepFirst(givenUp);
}

/** Keeps a host that something else installed as it is. */
export function beExternallyProvisioned(work: Work): Found {
  if (work.seen.host.spec?.externallyProvisioned !== true) return facts(work.draft, { wish: 'take over' });
  return keep(work);
}

function keep({ seen, draft, now }: Work): Found {
  const deployment = deploymentIn(draft.status, seen.host);
  const isRetry = draft.status.errorType === 'provisioned registration error';
  const asked = ask(seen, draft, {
    question: { name: 'adopt', order: { isRetry, ...(deployment === undefined ? {} : { deployment }) } },
    errorType: 'provisioned registration error',
  });
  if (asked.kind === 'not yet') return stepFirst(asked.step);
  const fine = withStatus(draft, withSuccess(draft.status, 'provisioned registration error'));
  return stepFirst(managePower(seen, fine, now));
}
