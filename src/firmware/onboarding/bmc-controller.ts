import {
  type BMC,
  type BMCSecret,
  type BMCStatus,
  ironcoreApiVersion,
  operationAnnotation,
  type Server,
} from '../../api/index.ts';
import {
  type Clock,
  type Controller,
  type ControllerOptions,
  defineController,
  type KubeClient,
  type KubeObject,
  ok,
  type Result,
  type Watch,
} from '../../kube/index.ts';
import { originOf } from '../fleet/bmc-location.ts';
import { type Inertness, isExcluded } from '../fleet/fleet.ts';
import type { FleetObjects } from '../fleet/objects.ts';
import type { ObjectTable } from '../fleet/table.ts';
import type { ReadBmc, ReadPower } from '../ports.ts';
import { fieldManagers, resources } from '../resources.ts';
import type { FirmwareSettings } from '../settings.ts';
import { patchStatus } from '../status-patch.ts';
import { accessFault, loginOf } from './access.ts';
import { bmcTable } from './bmc-table.ts';
import { type BmcEffect, type BmcSeen, decideBmc, describeBmcFailure } from './decide-bmc.ts';
import { type PowerLocation, watchPower } from './power-poll.ts';
import { type RememberedReading, rememberReading } from './reading-course.ts';

/** The tables that onboarding reads. */
export type OnboardingTables = {
  readonly [K in 'bmcs' | 'bmcSecrets' | 'servers' | 'firmwares' | 'discovered']: ObjectTable<FleetObjects[K]>;
};

/** What the part of onboarding that reads BMCs works with. */
export interface BmcControllerParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly tables: OnboardingTables;
  readonly readBmc: ReadBmc;
  /** Without it, power is only as new as the last full reading. */
  readonly readPower: ReadPower | undefined;
  readonly settings: FirmwareSettings;
  readonly watches: readonly Watch[];
  /** Wakes what work has just read; its power is asked for then. */
  readonly scanned: Watch;
}

/** Reads BMCs and makes Servers of what is behind them. */
export function createBmcController(
  parts: BmcControllerParts,
  options: ControllerOptions,
): Controller<BmcEffect, BMCStatus> {
  const { client, tables, readBmc, clock } = parts;
  const bmcs = client.resource<BMC & KubeObject>(resources.bmcs);
  const servers = client.resource<Server & KubeObject>(resources.servers);
  const readings = new Map<string, RememberedReading>();
  const read = (key: string): BmcSeen | undefined => {
    const seen = readBmcSeen(parts, key, readings.get(key));
    if (seen === undefined) readings.delete(key);
    return seen;
  };
  const loginTo = (bmc: BMC) => async () => loginOf(tables.bmcSecrets.get(bmc.spec.bmcSecretRef.name));
  const locate = (key: string): PowerLocation | undefined => {
    const seen = read(key);
    if (seen === undefined || seen.obstacle !== undefined) return undefined;
    return { origin: originOf(seen.bmc), credentials: loginTo(seen.bmc), access: seen.access };
  };
  const inTurn = createTurns();
  const controller = defineController<BmcSeen, BmcEffect, BMCStatus>(
    {
      name: 'bmc-onboarding',
      table: bmcTable,
      watches: [...parts.watches, ...watchPower({ ...parts, readings, locate })],
      read,
      decide: decideBmc,
      // One system that cannot be taken on does not keep the others away.
      areEffectsIndependent: true,
      describeFailure: describeBmcFailure,
      statusOf: ({ bmc }) => bmc.status,
      writeStatus: ({ bmc }, status, { signal }) => patchStatus(bmcs, bmc, status, { signal }),
      subjectOf: ({ bmc }) => ({ ...bmc, apiVersion: ironcoreApiVersion, kind: 'BMC' }),
      effects: {
        'read-bmc': async ({ isFull }, { seen, key, signal }) => {
          const credentials = loginTo(seen.bmc);
          const reading = await readBmc({ name: key, origin: originOf(seen.bmc), credentials, isFull }, signal);
          readings.set(key, rememberReading(readings.get(key), { at: clock.now(), access: seen.access, reading }));
          controller.wake(key);
          return ok();
        },
        'put-server': ({ name, body }, context) =>
          inTurn(context, name, async () => {
            const { signal } = context;
            await servers.apply(body, { fieldManager: fieldManagers.onboarding, isForced: true, signal });
          }),
        'tell-server': ({ name, status }, context) =>
          inTurn(context, name, async () => {
            const { signal, key } = context;
            const server = tables.servers.get(name) ?? (await servers.get({ name }, { signal }));
            await patchStatus(servers, server, { ...server.status, ...status }, { signal });
            // A Server that was just made has nobody yet who would look at it again.
            if (tables.servers.get(name) === undefined) controller.wake(key);
          }),
      },
    },
    options,
  );
  return controller;
}

/** Does what one look asks for of one Server in order: after what fails, nothing more is done about that Server in this look. */
function createTurns(): (context: object, name: string, work: () => Promise<void>) => Promise<Result> {
  const failedIn = new WeakMap<object, Set<string>>();
  return async (context, name, work) => {
    const failed = failedIn.get(context) ?? new Set();
    failedIn.set(context, failed);
    if (failed.has(name)) return ok();
    failed.add(name);
    await work();
    failed.delete(name);
    return ok();
  };
}

function readBmcSeen(
  { tables, settings }: BmcControllerParts,
  key: string,
  remembered: RememberedReading | undefined,
): BmcSeen | undefined {
  const bmc = tables.bmcs.get(key);
  if (bmc === undefined || bmc.metadata.deletionTimestamp !== undefined) return undefined;
  const secret = tables.bmcSecrets.get(bmc.spec.bmcSecretRef.name);
  const access = JSON.stringify([originOf(bmc), bmc.spec.bmcSecretRef.name, secret?.metadata.resourceVersion]);
  const serialOf = (server: Server): string =>
    tables.bmcs.get(server.spec.bmcRef?.name ?? '')?.status?.serialNumber ?? '';
  return {
    bmc,
    access,
    obstacle: obstacleOf(bmc, secret),
    servers: tables.servers.byIndex('bmc', key),
    remembered,
    takenBy: (uuid) =>
      tables.servers
        .byIndex('uuid', uuid)
        .flatMap((server) => (server.spec.bmcRef?.name === key ? [] : serialOf(server))),
    serverNamed: (name) => tables.servers.get(name),
    settings,
  };
}

/** Why a BMC is not read. */
function obstacleOf(bmc: BMC, secret: BMCSecret | undefined): Inertness | undefined {
  const { access, bmcSecretRef, protocol } = bmc.spec;
  if (isExcluded(bmc.metadata.labels)) return { code: 'Excluded', message: 'its labels opt it out' };
  if (bmc.metadata.annotations?.[operationAnnotation] === 'ignore') {
    return { code: 'Ignored', message: `it is to be ignored (${operationAnnotation})` };
  }
  if (access === undefined) {
    return { code: 'EndpointNotSupported', message: 'Endpoint objects are not served here; give spec.access instead' };
  }
  return accessFault(protocol, { name: bmcSecretRef.name, secret });
}
