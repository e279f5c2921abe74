import { type HostFirmwareComponents, type HostFirmwareComponentsStatus, metal3ApiVersion } from '../../api/index.ts';
import { type Controller, defineController, isSameJson, type KubeObject, ok, watchInformer } from '../../kube/index.ts';
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
import {
  type CheckedUpdates,
  type ComponentsEffect,
  type ComponentsSeen,
  decideComponents,
  pendingUpdates,
  type RememberedComponents,
} from './decide-components.ts';

/** The controller of HostFirmwareComponents, which can also be told to read one anew at once. */
export interface ComponentsController extends Controller<ComponentsEffect, HostFirmwareComponentsStatus> {
  refresh(key: string, signal: AbortSignal): Promise<void>;
}

/** Reads the components of hosts into their companions and judges what their owners want. */
export function createComponentsController(parts: CompanionParts): ComponentsController {
  const { client, newest, informers, settings, shell } = parts;
  const companions = client.resource<HostFirmwareComponents & KubeObject>(resources.firmwareComponents);
  const remembered = new Map<string, RememberedComponents>();
  const checked = new Map<string, CheckedUpdates>();
  const readSeen = (key: string): ComponentsSeen | undefined => {
    const host = newest.hosts.get(key);
    if (host === undefined) {
      remembered.delete(key);
      checked.delete(key);
      return undefined;
    }
    const companion = newest.firmwareComponents.get(key);
    const canCheck = parts.provisioners.of(identityFor(parts, host)).checkUpdates !== undefined;
    return { host, companion, remembered: remembered.get(key), canCheck, checked: checked.get(key), settings };
  };
  const checkNow = async (key: string, seen: ComponentsSeen) => {
    const components = seen.remembered?.reading.kind === 'read' ? seen.remembered.reading.components : [];
    const updates = pendingUpdates(seen, components);
    const outcome = await parts.provisioners.of(identityFor(parts, seen.host)).checkUpdates?.(updates);
    const answer: CheckedUpdates['answer'] =
      outcome === undefined || outcome.kind === 'done'
        ? { kind: 'checked', refusals: outcome?.value ?? [] }
        : unreadFrom(outcome, settings.firmwareChangePollMs);
    checked.set(key, { at: shell.clock.now(), updates, answer });
  };
  const readNow = async (key: string, { host }: ComponentsSeen) => {
    const outcome = await parts.provisioners.of(identityFor(parts, host)).readFirmwareComponents();
    const reading =
      outcome.kind === 'done'
        ? { kind: 'read' as const, components: outcome.value }
        : unreadFrom(outcome, settings.firmwarePollMs);
    remembered.set(key, { at: shell.clock.now(), reading });
    return reading;
  };
  const write = async (
    { companion }: ComponentsSeen,
    status: HostFirmwareComponentsStatus,
    signal: AbortSignal,
  ): Promise<void> => {
    if (companion === undefined) return;
    await writeCompanionStatus(companions, newest.firmwareComponents, { object: companion, status, signal });
  };
  const controller = defineController<ComponentsSeen, ComponentsEffect, HostFirmwareComponentsStatus>(
    {
      name: 'host-firmware-components',
      watches: [
        watchInformer(informers.hosts, (key, change) => (isOtherForCompanions(change) ? [key] : [])),
        watchInformer(informers.firmwareComponents, (key, change) =>
          isCompanionNews(change, newest.firmwareComponents.isOwn) ? [key] : [],
        ),
      ],
      read: readSeen,
      decide: decideComponents,
      statusOf: ({ companion }) => companion?.status,
      writeStatus: (seen, status, { signal }) => write(seen, status, signal),
      subjectOf: ({ companion }) => companion,
      effects: {
        'create-components': async (_, { seen, key, signal }) => {
          const object: HostFirmwareComponents = {
            apiVersion: metal3ApiVersion,
            kind: 'HostFirmwareComponents',
            metadata: companionMeta(seen.host),
            spec: { updates: [] },
          };
          newest.firmwareComponents.wrote(await companions.create(object, { fieldManager, signal }));
          controller.wake(key);
          return ok();
        },
        'adopt-components': async (_, { seen: { host, companion: object }, key, signal }) => {
          if (object !== undefined) newest.firmwareComponents.wrote(await adopt(companions, { host, object, signal }));
          controller.wake(key);
          return ok();
        },
        'check-updates': async (_, { seen, key }) => {
          await checkNow(key, seen);
          controller.wake(key);
          return ok();
        },
        'read-components': async (_, { seen, key }) => {
          await readNow(key, seen);
          controller.wake(key);
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
      if (seen?.companion === undefined) return;
      mustBeRead(key, await readNow(key, seen));
      const read = { ...seen, remembered: remembered.get(key) };
      const isCheckDue = decideComponents(read, shell.clock.now()).effects.some(({ kind }) => kind === 'check-updates');
      if (isCheckDue) await checkNow(key, read);
      const fresh = { ...read, checked: checked.get(key) };
      const { status } = decideComponents(fresh, shell.clock.now());
      if (status !== undefined && !isSameJson(status, seen.companion.status)) await write(fresh, status, signal);
    },
  };
}
