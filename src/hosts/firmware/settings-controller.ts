import { type HostFirmwareSettings, type HostFirmwareSettingsStatus, metal3ApiVersion } from '../../api/index.ts';
import {
  type Controller,
  defineController,
  isAlreadyExists,
  isSameJson,
  type KubeObject,
  ok,
  type Watch,
  watchInformer,
} from '../../kube/index.ts';
import { fieldManager, resources } from '../resources.ts';
import {
  adopt,
  type CompanionParts,
  companionMeta,
  identityFor,
  isCompanionNews,
  isOtherForCompanions,
  mustBeRead,
  unreadFrom,
  writeCompanionStatus,
} from './companion-parts.ts';
import { decideSettings, type RememberedSettings, type SettingsEffect, type SettingsSeen } from './decide-settings.ts';
import { schemaObject } from './schema.ts';

/** The controller of HostFirmwareSettings, which can also be told to read one anew at once. */
export interface SettingsController extends Controller<SettingsEffect, HostFirmwareSettingsStatus> {
  refresh(key: string, signal: AbortSignal): Promise<void>;
}

/** Reads the settings of hosts into their companions and judges what their owners want. */
export function createSettingsController(parts: CompanionParts): SettingsController {
  const { client, newest, informers, settings, shell } = parts;
  const companions = client.resource<HostFirmwareSettings & KubeObject>(resources.firmwareSettings);
  const schemas = client.resource<KubeObject>(resources.firmwareSchemas);
  const remembered = new Map<string, RememberedSettings>();
  const readSeen = (key: string): SettingsSeen | undefined => {
    const host = newest.hosts.get(key);
    if (host === undefined) {
      remembered.delete(key);
      return undefined;
    }
    const hasSchema = (name: string) =>
      informers.firmwareSchemas.get(`${host.metadata.namespace ?? ''}/${name}`) !== undefined;
    const companion = newest.firmwareSettings.get(key);
    return { host, companion, remembered: remembered.get(key), hasSchema, settings };
  };
  const readNow = async (key: string, { host }: SettingsSeen) => {
    const outcome = await parts.provisioners.of(identityFor(parts, host)).readFirmwareSettings();
    const reading =
      outcome.kind === 'done'
        ? { kind: 'read' as const, seen: outcome.value }
        : unreadFrom(outcome, settings.firmwarePollMs);
    remembered.set(key, { at: shell.clock.now(), reading });
    return reading;
  };
  const write = async (seen: SettingsSeen, status: HostFirmwareSettingsStatus, signal: AbortSignal): Promise<void> => {
    if (seen.companion === undefined) return;
    await writeCompanionStatus(companions, newest.firmwareSettings, { object: seen.companion, status, signal });
  };
  const controller = defineController<SettingsSeen, SettingsEffect, HostFirmwareSettingsStatus>(
    {
      name: 'host-firmware-settings',
      watches: watchesOf(parts),
      read: readSeen,
      decide: decideSettings,
      statusOf: ({ companion }) => companion?.status,
      writeStatus: (seen, status, { signal }) => write(seen, status, signal),
      subjectOf: ({ companion }) => companion,
      effects: {
        'create-settings': async (_, { seen, key, signal }) => {
          const metadata = companionMeta(seen.host);
          const object: HostFirmwareSettings = {
            apiVersion: metal3ApiVersion,
            kind: 'HostFirmwareSettings',
            metadata,
            spec: { settings: {} },
          };
          newest.firmwareSettings.wrote(await companions.create(object, { fieldManager, signal }));
          controller.wake(key);
          return ok();
        },
        'adopt-settings': async (_, { seen: { host, companion: object }, key, signal }) => {
          if (object !== undefined) newest.firmwareSettings.wrote(await adopt(companions, { host, object, signal }));
          controller.wake(key);
          return ok();
        },
        'read-settings': async (_, { seen, key }) => {
          await readNow(key, seen);
          controller.wake(key);
          return ok();
        },
        // Made once and never written again, however many hosts share it.
        'create-schema': async ({ seen }, { seen: { host }, signal }) => {
          try {
            await schemas.create(schemaObject(host.metadata.namespace ?? '', seen), { fieldManager, signal });
          } catch (error) {
            if (!isAlreadyExists(error)) throw error;
          }
          return ok();
        },
      },
    },
    shell,
  );
  return {
    ...controller,
    async refresh(key, signal) {
      const seen = readSeen(key);
      if (seen === undefined) return;
      const reading = await readNow(key, seen);
      if (seen.companion !== undefined) mustBeRead(key, reading);
      const fresh = { ...seen, remembered: remembered.get(key) };
      const { status } = decideSettings(fresh, shell.clock.now());
      if (status !== undefined && !isSameJson(status, seen.companion?.status)) await write(fresh, status, signal);
    },
  };
}

function watchesOf({ informers, newest }: CompanionParts): Watch[] {
  return [
    watchInformer(informers.hosts, (key, change) => (isOtherForCompanions(change) ? [key] : [])),
    watchInformer(informers.firmwareSettings, (key, change) =>
      isCompanionNews(change, newest.firmwareSettings.isOwn) ? [key] : [],
    ),
    // A schema that is gone is made again by whoever needs it.
    watchInformer(informers.firmwareSchemas, (key, { current }) =>
      current !== undefined
        ? []
        : informers.firmwareSettings
            .byIndex('schema', key)
            .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    ),
  ];
}
