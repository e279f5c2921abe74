import type { BareMetalHost, HostFirmwareComponents, HostFirmwareComponentsStatus } from '../../api/index.ts';
import { type Decision, type Effect, type Instant, isSameJson } from '../../kube/index.ts';
import type { FirmwareComponentSeen, FirmwareUpdate } from '../../provisioners/index.ts';
import type { HostSettings } from '../settings.ts';
import { textOfMoment } from '../status/host-status.ts';
import { companionConditions, isOwnedBy, whyUnread } from './companion.ts';

/** What a host last told about its components. */
export interface RememberedComponents {
  readonly at: Instant;
  readonly reading:
    | { readonly kind: 'read'; readonly components: readonly FirmwareComponentSeen[] }
    | { readonly kind: 'unread'; readonly message: string; readonly afterMs: number };
}

/** What its provisioner last said about updates that are wanted, before any of them is made. */
export interface CheckedUpdates {
  readonly at: Instant;
  readonly updates: readonly FirmwareUpdate[];
  readonly answer: /** Why they cannot be made; none where they can. */
    | { readonly kind: 'checked'; readonly refusals: readonly string[] }
    | { readonly kind: 'unread'; readonly message: string; readonly afterMs: number };
}

/** All that a decision about the components of a host is made from. */
export interface ComponentsSeen {
  readonly host: BareMetalHost;
  readonly companion: HostFirmwareComponents | undefined;
  readonly remembered: RememberedComponents | undefined;
  /** True where its provisioner can say before an update whether it can be made. */
  readonly canCheck?: boolean;
  readonly checked?: CheckedUpdates | undefined;
  readonly settings: HostSettings;
}

/** What can be done about the components of a host. */
export type ComponentsEffect = Effect & {
  readonly kind: 'create-components' | 'adopt-components' | 'read-components' | 'check-updates';
};

/** What is wanted about the components of a host. */
export type ComponentsDecision = Decision<ComponentsEffect, HostFirmwareComponentsStatus>;

/** Decides about the components of a host. Pure. */
export function decideComponents(seen: ComponentsSeen, now: Instant): ComponentsDecision {
  const { host, companion, remembered, settings } = seen;
  const unread = whyUnread(host);
  if (unread !== undefined) {
    return { effects: [], status: undefined, wake: { after: settings.unmanagedPollMs }, why: [unread] };
  }
  if (companion !== undefined && !isOwnedBy(companion, host)) {
    return doing('adopt-components', 'its HostFirmwareComponents were made by somebody else');
  }
  if (remembered === undefined) return doing('read-components', 'its components were not read yet');
  const { reading, at } = remembered;
  const isChanging = !isSameJson(companion?.spec?.updates ?? [], companion?.status?.updates ?? []);
  const pollMs = isChanging ? settings.firmwareChangePollMs : settings.firmwarePollMs;
  const dueMs = at + (reading.kind === 'unread' ? Math.max(reading.afterMs, 1000) : pollMs) - now;
  if (dueMs <= 0) return doing('read-components', 'it is time to read its components');
  const wake = { after: dueMs };
  if (reading.kind === 'unread') {
    return { effects: [], status: undefined, wake, why: [{ code: 'Unread', message: reading.message }] };
  }
  if (companion === undefined) {
    if (reading.components.length > 0) return doing('create-components', 'it has components and no object for them');
    return {
      effects: [],
      status: undefined,
      wake,
      why: [{ code: 'NoComponents', message: 'it tells of no components' }],
    };
  }
  const check = checkOf(seen, reading.components, now);
  if (check.kind === 'due') return doing('check-updates', 'it was not checked yet whether its updates can be made');
  if (check.kind === 'waits') {
    const after = Math.min(dueMs, check.afterMs);
    return { effects: [], status: undefined, wake: { after }, why: [{ code: 'Unread', message: check.message }] };
  }
  const after = Math.min(dueMs, check.againMs ?? dueMs);
  return { effects: [], ...tell(companion, reading.components, { now, refusals: check.refusals }), wake: { after } };
}

/** The updates that are wanted and not made yet, of components that the host has. */
export function pendingUpdates(
  { companion }: Pick<ComponentsSeen, 'companion'>,
  components: readonly FirmwareComponentSeen[],
): readonly FirmwareUpdate[] {
  const made = companion?.status?.updates ?? [];
  const wanted = companion?.spec?.updates ?? [];
  return wanted.filter(
    (update) => isKnownComponent(update.component, components) && !made.some((each) => isSameJson(each, update)),
  );
}

type Check =
  | { readonly kind: 'due' }
  | { readonly kind: 'waits'; readonly afterMs: number; readonly message: string }
  | { readonly kind: 'known'; readonly refusals: readonly string[]; readonly againMs?: number };

/** What is known of the updates that wait. What was refused is asked about again now and then: links can be mended. */
function checkOf(seen: ComponentsSeen, components: readonly FirmwareComponentSeen[], now: Instant): Check {
  const pending = pendingUpdates(seen, components);
  if (seen.canCheck !== true || pending.length === 0) return { kind: 'known', refusals: [] };
  const { checked } = seen;
  if (checked === undefined || !isSameJson(checked.updates, pending)) return { kind: 'due' };
  const { answer, at } = checked;
  const waitMs = answer.kind === 'unread' ? Math.max(answer.afterMs, 1000) : seen.settings.firmwareChangePollMs;
  const againMs = at + waitMs - now;
  const isFine = answer.kind === 'checked' && answer.refusals.length === 0;
  if (!isFine && againMs <= 0) return { kind: 'due' };
  if (answer.kind === 'unread') return { kind: 'waits', afterMs: againMs, message: answer.message };
  return { kind: 'known', refusals: answer.refusals, ...(isFine ? {} : { againMs }) };
}

function doing(kind: ComponentsEffect['kind'], message: string): ComponentsDecision {
  return {
    effects: [{ kind, key: kind }],
    status: undefined,
    wake: { on: 'change' },
    why: [{ code: 'Doing', message }],
  };
}

function tell(
  companion: HostFirmwareComponents,
  components: readonly FirmwareComponentSeen[],
  { now, refusals }: { readonly now: Instant; readonly refusals: readonly string[] },
): Pick<ComponentsDecision, 'status' | 'why' | 'events'> {
  const wanted = companion.spec?.updates ?? [];
  const unknown = wanted
    .filter(({ component }) => !isKnownComponent(component, components))
    .map(({ component }) => component);
  const { lastUpdated, ...before } = companion.status ?? {};
  const isChanged = !isSameJson(wanted, before.updates ?? []);
  const faults = [...(unknown.length === 0 ? [] : [`the host has no component ${unknown.join(', ')}`]), ...refusals];
  const message = faults.join('; ');
  const after: HostFirmwareComponentsStatus = {
    ...(before.updates === undefined ? {} : { updates: before.updates }),
    components: components.map((component) => withHistory(component, { before, now })),
    conditions: companionConditions(
      [
        { type: 'ChangeDetected', isTrue: isChanged, reason: 'OK', message: '' },
        {
          type: 'Valid',
          isTrue: faults.length === 0,
          reason: unknown.length > 0 ? 'InvalidComponent' : refusals.length > 0 ? 'ImageRefused' : 'OK',
          message,
        },
      ],
      { before: before.conditions, generation: companion.metadata.generation, now },
    ),
  };
  const isSame = lastUpdated !== undefined && isSameJson(before, after);
  const status = isSame ? companion.status : { ...after, lastUpdated: textOfMoment(now) };
  const wasSaid = before.conditions?.some(({ type, message: said }) => type === 'Valid' && said === message);
  const isNews = message !== '' && wasSaid !== true;
  return {
    status,
    events: isNews ? [{ type: 'Warning', reason: 'ValidationFailed', message: `Invalid update: ${message}` }] : [],
    why: [{ code: faults.length > 0 ? 'Invalid' : isChanged ? 'ChangeDetected' : 'Settled', message }],
  };
}

/** `bios` and `bmc` are taken at their word where a host tells of none of its components. */
function isKnownComponent(name: string, components: readonly FirmwareComponentSeen[]): boolean {
  if (!['bios', 'bmc'].includes(name) && !name.startsWith('nic:')) return false;
  return components.length === 0 || components.some(({ component }) => component === name);
}

/**
 * The version found first stays the first. A provisioner that keeps no history of updates reports only versions: one that
 * differs from the last reading was flashed in between.
 */
function withHistory(
  seen: FirmwareComponentSeen,
  { before: { components = [] }, now }: { readonly before: HostFirmwareComponentsStatus; readonly now: Instant },
): NonNullable<HostFirmwareComponentsStatus['components']>[number] {
  const known = components.find(({ component }) => component === seen.component);
  if (known === undefined) return { ...seen };
  const { initialVersion, currentVersion: last, lastVersionFlashed, updatedAt } = known;
  const { currentVersion: current } = seen;
  if (seen.lastVersionFlashed === undefined && last !== undefined && current !== undefined && current !== last) {
    return { ...seen, initialVersion, lastVersionFlashed: current, updatedAt: textOfMoment(now) };
  }
  return {
    ...(lastVersionFlashed === undefined ? {} : { lastVersionFlashed }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...seen,
    initialVersion,
  };
}
