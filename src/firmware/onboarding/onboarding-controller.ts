import {
  type DiscoveredFirmware,
  ironcoreApiVersion,
  type Server,
  type ServerFirmware,
  type ServerStatus,
} from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  failed,
  isAlreadyExists,
  isConflict,
  type KubeClient,
  type KubeObject,
  ok,
  type Watch,
} from '../../kube/index.ts';
import { firmwareFailure } from '../errors.ts';
import { inlineBmcKey, inlineOrigin, originOf, systemAddress } from '../fleet/bmc-location.ts';
import { findDiscovered, isExcluded, olderFirst } from '../fleet/fleet.ts';
import { hardwareOf } from '../hardware.ts';
import type { InventoryMirror } from '../ports.ts';
import { fieldManagers, resources } from '../resources.ts';
import { patchStatus } from '../status-patch.ts';
import { loginOf } from './access.ts';
import type { OnboardingTables } from './bmc-controller.ts';
import {
  decideOnboarding,
  describeOnboardingFailure,
  type Mirrored,
  type OnboardingEffect,
  type OnboardingSeen,
} from './decide-onboarding.ts';

/** What the part of onboarding that completes Servers works with. */
export interface OnboardingControllerParts {
  readonly client: KubeClient;
  readonly tables: OnboardingTables;
  /** Undefined: there is no inventory beside. */
  readonly mirror: InventoryMirror | undefined;
  readonly watches: readonly Watch[];
  /** What the inventory was last told, by name of the Server; made unless given. */
  readonly memory?: MirrorMemory | undefined;
}

/** What the inventory was last told of Servers, by their names. */
export type MirrorMemory = Map<string, Mirrored>;

/** Gives every Server its ServerFirmware, every model its DiscoveredFirmware, and tells the inventory. */
export function createOnboardingController(
  parts: OnboardingControllerParts,
  options: ControllerOptions,
): Controller<OnboardingEffect, ServerStatus> {
  const { client, mirror } = parts;
  const servers = client.resource<Server & KubeObject>(resources.servers);
  const firmwares = client.resource<ServerFirmware & KubeObject>(resources.firmwares);
  const discovered = client.resource<DiscoveredFirmware & KubeObject>(resources.discovered);
  const known: MirrorMemory = parts.memory ?? new Map();
  const controller = defineController<OnboardingSeen, OnboardingEffect, ServerStatus>(
    {
      name: 'server-onboarding',
      watches: parts.watches,
      read: (key) => {
        const seen = readOnboardingSeen(parts, key, known.get(key));
        if (seen === undefined) known.delete(key);
        return seen;
      },
      decide: decideOnboarding,
      areEffectsIndependent: true,
      describeFailure: describeOnboardingFailure,
      statusOf: ({ server }) => server.status,
      writeStatus: ({ server }, status, { signal }) =>
        patchStatus(servers, server, status, { parts: ['conditions'], signal }),
      subjectOf: ({ server }) => ({ ...server, apiVersion: ironcoreApiVersion, kind: 'Server' }),
      effects: {
        'put-firmware': async ({ body }, { signal }) => {
          await firmwares.apply(body, { fieldManager: fieldManagers.onboarding, isForced: true, signal });
          return ok();
        },
        'forget-machine': async ({ status }, { seen, signal }) => {
          if (seen.firmware !== undefined) await patchStatus(firmwares, seen.firmware, status, { signal });
          return ok();
        },
        'put-discovered': async ({ body }, { signal }) => {
          try {
            await discovered.create(body, { fieldManager: fieldManagers.onboarding, signal });
          } catch (error) {
            if (!isAlreadyExists(error) && !isConflict(error)) throw error;
          }
          return ok();
        },
        mirror: async ({ server, fingerprint }, { key, signal }) => {
          if (mirror === undefined) return ok();
          try {
            const outcome = await mirror.put(server, signal);
            known.set(key, { fingerprint, outcome });
          } catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            return failed(firmwareFailure('MirrorFailed', `the inventory was not told: ${message}`, { cause: error }));
          }
          controller.wake(key);
          return ok();
        },
      },
    },
    options,
  );
  return controller;
}

function readOnboardingSeen(
  { tables, mirror }: OnboardingControllerParts,
  key: string,
  mirrored: Mirrored | undefined,
): OnboardingSeen | undefined {
  const server = tables.servers.get(key);
  if (server === undefined) return undefined;
  const hardware = hardwareOf(server.status ?? {});
  const [firmware] = tables.firmwares.byIndex('server', key).toSorted(olderFirst);
  const isOther = (name: string): boolean => tables.discovered.get(name) !== undefined;
  return {
    server,
    twins: tables.servers.byIndex('uuid', server.spec.systemUUID.toLowerCase()),
    isBmcExcluded: isExcluded(tables.bmcs.get(server.spec.bmcRef?.name ?? '')?.metadata.labels),
    firmware,
    isFirmwareNameTaken: tables.firmwares.get(key) !== undefined && firmware === undefined,
    hasDiscovered: hardware === undefined || findDiscovered(tables.discovered, server) !== undefined,
    isDiscoveredNameTaken: isOther,
    mirror: mirror === undefined ? undefined : mirrorOf(tables, server),
    mirrored,
  };
}

function mirrorOf(tables: OnboardingTables, server: Server): OnboardingSeen['mirror'] {
  const access = accessOf(tables, server);
  const hardware = hardwareOf(server.status ?? {});
  // Until its BMC was read it is not known to be a machine at all.
  if (access === undefined || hardware === undefined) return undefined;
  const secret = tables.bmcSecrets.get(access.secret);
  const { username, password } = loginOf(secret);
  const mirrored = {
    id: server.spec.systemUUID.toLowerCase(),
    name: server.metadata.name ?? '',
    ...hardware,
    serialNumber: server.status?.serialNumber ?? '',
    bmcId: access.bmcId,
    bmcAddress: systemAddress(access.origin, server.spec.systemURI),
    macs: (server.status?.networkInterfaces ?? []).map(({ macAddress }) => macAddress.toLowerCase()),
  };
  // The password is told by the version of the secret: it is nothing to keep twice.
  const fingerprint = JSON.stringify([mirrored, secret?.metadata.resourceVersion]);
  const credentials = username === '' ? undefined : { username, password };
  return { fingerprint, server: { ...mirrored, credentials } };
}

/** How a Server is reached: through its BMC object, or as it says itself. */
function accessOf(
  tables: OnboardingTables,
  { spec }: Server,
): { readonly bmcId: string; readonly origin: string; readonly secret: string } | undefined {
  if (spec.bmc !== undefined) {
    const key = inlineBmcKey(spec.bmc);
    // A BMC that an object names too is locked under the name of that object.
    const [same] = tables.bmcs.byIndex('address', key);
    const origin = inlineOrigin(spec.bmc);
    return { bmcId: same?.metadata.name ?? key, origin, secret: spec.bmc.bmcSecretRef.name };
  }
  const bmc = spec.bmcRef === undefined ? undefined : tables.bmcs.get(spec.bmcRef.name);
  if (bmc === undefined) return undefined;
  return { bmcId: bmc.metadata.name ?? '', origin: originOf(bmc), secret: bmc.spec.bmcSecretRef.name };
}
