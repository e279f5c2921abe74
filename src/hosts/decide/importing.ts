import type { BareMetalHost, BareMetalHostStatus } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { discoveryNote, notedIdOf, readDiscoveryNote } from '../annotations/discovery-note.ts';
import { isInspectionAsked } from '../annotations/read-annotations.ts';
import { isWithoutBmc, wasReached } from '../credentials/judge-credentials.ts';
import { stateOf, withEnd, withSuccess } from '../status/host-status.ts';
import type { hostTable } from '../table/host-table.ts';
import { ask, fail } from './ask.ts';
import { deploymentIn } from './deployment.ts';
import { type Found, facts, stepFirst, type Work } from './found.ts';
import { noteHardware } from './inspecting.ts';
import { holdInQuarantine } from './quarantine.ts';
import { noteId, noteProfile, type Registered } from './register.ts';
import { type Draft, type HostSeen, rest, type Step, telling, withStatus } from './seen.ts';

/** What is said about the BMC of a host. One that its provisioner took over stays one that came by itself. */
export function bmcFactOf(
  host: BareMetalHost,
  status: BareMetalHostStatus,
): (typeof hostTable)['facts']['bmc'][number] {
  if (!isWithoutBmc(host)) return 'given';
  const reading = readDiscoveryNote(host);
  const isNoted = reading !== undefined && !('problem' in reading);
  const isTakenOver = status.provisioning.ID !== '' && !wasReached(status);
  return isNoted || isTakenOver ? 'discovered' : 'none';
}

/** Nobody can read or change the firmware of a machine without its BMC, so nothing is waited for or wanted of it. */
export function withoutFirmware(seen: HostSeen): HostSeen {
  return { ...seen, firmwareSettings: undefined, firmwareComponents: undefined };
}

/** A host that nobody manages waits for somebody to say something about its BMC. */
export function beUnmanaged(seen: HostSeen, draft: Draft): Step {
  const reading = readDiscoveryNote(seen.host);
  if (reading === undefined || !('problem' in reading)) {
    const wake = { after: seen.settings.unmanagedPollMs };
    return rest(draft, wake, 'Unmanaged', 'nothing is said about its BMC');
  }
  const message = `the annotation ${discoveryNote} cannot be read (${reading.problem}); remove it, or delete the host so that it is found again`;
  const told = telling(draft, 'Warning', 'InvalidAnnotationValue', message);
  return rest(told, { on: 'change' }, 'InvalidDiscoveryNote', message);
}

/** Has its provisioner take over a machine that came by itself, once, and again whenever that has forgotten it. */
export function importHost(seen: HostSeen, draft: Draft, now: Instant): Registered {
  if (draft.status.provisioning.ID !== '') {
    return { kind: 'registered', draft: withStatus(draft, withSuccess(draft.status, 'registration error')) };
  }
  const { rival } = seen;
  if (rival !== undefined) {
    const message = `the machine ${notedIdOf(seen.host)} is that of the host ${rival} already; delete one of the two`;
    return { kind: 'not yet', step: failSoon(seen, draft, message) };
  }
  const isRetry = draft.status.errorType === 'registration error';
  const current = deploymentIn(draft.status, seen.host);
  const asked = ask(seen, draft, {
    question: { name: 'import', order: { isRetry, ...(current === undefined ? {} : { current }) } },
    errorType: 'registration error',
    onUnregistered: (lost) => failSoon(seen, lost, unknownMachine(seen)),
  });
  if (asked.kind === 'not yet') return asked;
  const { id } = asked.value;
  const told = telling(draft, 'Normal', 'Imported', `Took over the machine ${id} that came by itself`);
  const known = noteProfile(seen, noteId(seen, told, id));
  const fine = withSuccess(known.status, 'registration error');
  const ended = stateOf(fine) === 'importing' ? fine : withEnd(fine, 'register', now);
  return { kind: 'registered', draft: withStatus(known, ended) };
}

function unknownMachine({ host }: HostSeen): string {
  const id = notedIdOf(host);
  const what = id === undefined ? 'the machine' : `the machine ${id}`;
  return `its provisioner does not know ${what} any more; boot it into its agent so that it is found again, or set spec.bmc`;
}

/** A machine may come back any time, and nobody tells when: it is not waited for as long as other failures. */
function failSoon(seen: HostSeen, draft: Draft, message: string): Step {
  const step = fail(seen, draft, 'registration error', message);
  const mostMs = seen.settings.unmanagedPollMs;
  return step.kind === 'rest' && 'after' in step.wake
    ? { ...step, wake: { after: Math.min(step.wake.after, mostMs) } }
    : step;
}

/** The machine was taken over: it goes on once it is known what it is made of, which nothing is started for. */
export function beImported({ seen, draft }: Work): Found {
  const { hardware } = draft.status;
  const wish = seen.host.spec?.externallyProvisioned === true ? 'leave alone' : 'prepare';
  if (hardware !== undefined) {
    const effects = noteHardware(seen, hardware);
    if (effects.length > 0) return stepFirst({ kind: 'do', draft, effects });
    const held = holdInQuarantine(seen.host, draft);
    return held === undefined ? facts(draft, { work: 'done', wish }) : stepFirst(held);
  }
  const asked = ask(seen, draft, { question: { name: 'inventory' }, errorType: 'inspection error' });
  if (asked.kind === 'not yet') return stepFirst(asked.step);
  if (asked.value === undefined) {
    const wake = { after: seen.settings.companionWaitMs };
    return stepFirst(rest(draft, wake, 'HardwareUnknown', 'the machine has not told yet what it is made of'));
  }
  return stepFirst({ kind: 'again', draft: withStatus(draft, { ...draft.status, hardware: asked.value }) });
}

/** True when discovery told what a host is made of, so that it need not be inspected unless somebody asks for it. */
export function isKnownByDiscovery({ host }: HostSeen, { status }: Draft): boolean {
  return notedIdOf(host) !== undefined && status.hardware !== undefined && !isInspectionAsked(host);
}
