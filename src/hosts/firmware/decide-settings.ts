import type { BareMetalHost, HostFirmwareSettings, HostFirmwareSettingsStatus } from '../../api/index.ts';
import { type Decision, type Effect, type EventDraft, type Instant, isSameJson } from '../../kube/index.ts';
import type { FirmwareSettingsSeen } from '../../provisioners/index.ts';
import type { HostSettings } from '../settings.ts';
import { textOfMoment } from '../status/host-status.ts';
import { companionConditions, isOwnedBy, whyUnread } from './companion.ts';
import { isPasswordName, settingFault } from './judge-settings.ts';
import { schemaName } from './schema.ts';

/** What a host last told about its settings. */
export interface RememberedSettings {
  readonly at: Instant;
  readonly reading:
    | { readonly kind: 'read'; readonly seen: FirmwareSettingsSeen }
    | { readonly kind: 'unread'; readonly message: string; readonly afterMs: number };
}

/** All that a decision about the settings of a host is made from. */
export interface SettingsSeen {
  readonly host: BareMetalHost;
  readonly companion: HostFirmwareSettings | undefined;
  readonly remembered: RememberedSettings | undefined;
  /** True when there is a schema of this name. */
  readonly hasSchema: (name: string) => boolean;
  readonly settings: HostSettings;
}

/** What can be done about the settings of a host. */
export type SettingsEffect = Effect &
  (
    | { readonly kind: 'create-settings' }
    | { readonly kind: 'adopt-settings' }
    | { readonly kind: 'read-settings' }
    | { readonly kind: 'create-schema'; readonly seen: FirmwareSettingsSeen }
  );

/** What is wanted about the settings of a host. */
export type SettingsDecision = Decision<SettingsEffect, HostFirmwareSettingsStatus>;

/** Decides about the settings of a host. Pure. */
export function decideSettings(seen: SettingsSeen, now: Instant): SettingsDecision {
  const { host, companion, remembered, settings } = seen;
  const unread = whyUnread(host);
  if (unread !== undefined) {
    return { effects: [], status: undefined, wake: { after: settings.unmanagedPollMs }, why: [unread] };
  }
  if (companion === undefined) return doing('create-settings', 'it has no HostFirmwareSettings yet');
  if (!isOwnedBy(companion, host))
    return doing('adopt-settings', 'its HostFirmwareSettings were made by somebody else');
  const isChanging = isTrue(companion, 'ChangeDetected');
  const pollMs = isChanging ? settings.firmwareChangePollMs : settings.firmwarePollMs;
  if (remembered === undefined) return doing('read-settings', 'its settings were not read yet');
  const { reading, at } = remembered;
  const dueMs = at + (reading.kind === 'unread' ? Math.max(reading.afterMs, 1000) : pollMs) - now;
  if (dueMs <= 0) return doing('read-settings', 'it is time to read its settings');
  if (reading.kind === 'unread') {
    return {
      effects: [],
      status: undefined,
      wake: { after: dueMs },
      why: [{ code: 'Unread', message: reading.message }],
    };
  }
  return tell(companion, reading.seen, { now, dueMs, hasSchema: seen.hasSchema });
}

function doing(kind: 'create-settings' | 'adopt-settings' | 'read-settings', message: string): SettingsDecision {
  return {
    effects: [{ kind, key: kind }],
    status: undefined,
    wake: { on: 'change' },
    why: [{ code: 'Doing', message }],
  };
}

interface Telling {
  readonly now: Instant;
  readonly dueMs: number;
  readonly hasSchema: SettingsSeen['hasSchema'];
}

function tell(companion: HostFirmwareSettings, seen: FirmwareSettingsSeen, telling: Telling): SettingsDecision {
  const namespace = companion.metadata.namespace ?? '';
  const name = schemaName(seen.schema);
  const isSchemaMissing = Object.keys(seen.schema).length > 0 && !telling.hasSchema(name);
  const settings = Object.fromEntries(Object.entries(seen.settings).filter(([each]) => !isPasswordName(each)));
  const faults = faultsOf(companion, { ...seen, settings });
  const wanted = Object.entries(companion.spec?.settings ?? {});
  const isChanged = wanted.some(([each, value]) => String(value) !== settings[each]);
  const { lastUpdated, ...before } = companion.status ?? { settings: {} };
  const after: HostFirmwareSettingsStatus = {
    settings,
    ...(Object.keys(seen.schema).length === 0 ? {} : { schema: { name, namespace } }),
    conditions: companionConditions(
      [
        { type: 'ChangeDetected', isTrue: isChanged, reason: 'Success', message: '' },
        {
          type: 'Valid',
          isTrue: faults.length === 0,
          reason: faults.length === 0 ? 'Success' : 'ConfigurationError',
          message: faults.join('; '),
        },
      ],
      { before: before.conditions, generation: companion.metadata.generation, now: telling.now },
    ),
  };
  const isSame = lastUpdated !== undefined && isSameJson(before, after);
  return {
    effects: isSchemaMissing ? [{ kind: 'create-schema', key: `create ${name}`, seen }] : [],
    status: isSame ? companion.status : { ...after, lastUpdated: textOfMoment(telling.now) },
    wake: { after: telling.dueMs },
    why: [
      { code: faults.length > 0 ? 'Invalid' : isChanged ? 'ChangeDetected' : 'Settled', message: faults.join('; ') },
    ],
    events: isSame ? [] : faults.map(invalid),
  };
}

function faultsOf(companion: HostFirmwareSettings, seen: FirmwareSettingsSeen): string[] {
  return Object.entries(companion.spec?.settings ?? {}).flatMap(([name, value]) => {
    if (isPasswordName(name)) return [`cannot set the password setting ${name}`];
    if (seen.settings[name] === undefined) return [`the host has no setting ${name}`];
    return settingFault(name, value, seen.schema[name]) ?? [];
  });
}

function invalid(fault: string): EventDraft {
  return { type: 'Warning', reason: 'ValidationFailed', message: `Invalid BIOS setting: ${fault}` };
}

function isTrue({ status }: HostFirmwareSettings, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
}
