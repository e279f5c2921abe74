import { ironcoreApiVersion, operationAnnotation, type Server, type ServerStatus } from '../../api/index.ts';
import {
  type Clock,
  type Controller,
  type ControllerOptions,
  defineController,
  type KubeClient,
  type KubeObject,
  ok,
  type Watch,
} from '../../kube/index.ts';
import { inlineOrigin } from '../fleet/bmc-location.ts';
import { isExcluded } from '../fleet/fleet.ts';
import type { ReadBmc, ReadPower } from '../ports.ts';
import { fieldManagers, resources } from '../resources.ts';
import type { FirmwareSettings } from '../settings.ts';
import { patchStatus } from '../status-patch.ts';
import { accessFault, addressFault, loginOf } from './access.ts';
import type { OnboardingTables } from './bmc-controller.ts';
import { bmcTable } from './bmc-table.ts';
import { decideInline, type InlineEffect, type InlineSeen } from './decide-inline.ts';
import { type PowerLocation, watchPower } from './power-poll.ts';
import { type RememberedReading, rememberReading } from './reading-course.ts';

/** What Servers without a BMC object are read with. */
export interface InlineControllerParts {
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

/** Reads Servers that say in `spec.bmc` where their BMC is. */
export function createInlineController(
  parts: InlineControllerParts,
  options: ControllerOptions,
): Controller<InlineEffect, ServerStatus> {
  const { client, tables, readBmc, clock } = parts;
  const servers = client.resource<Server & KubeObject>(resources.servers);
  const readings = new Map<string, RememberedReading>();
  const read = (key: string): InlineSeen | undefined => {
    const seen = readInlineSeen(parts, key, readings.get(key));
    if (seen === undefined) readings.delete(key);
    return seen;
  };
  const loginTo = (secret: string) => async () => loginOf(tables.bmcSecrets.get(secret));
  const locate = (key: string): PowerLocation | undefined => {
    const seen = read(key);
    const { bmc } = seen?.server.spec ?? {};
    if (seen === undefined || bmc === undefined || seen.obstacle !== undefined) return undefined;
    return { origin: inlineOrigin(bmc), credentials: loginTo(bmc.bmcSecretRef.name), access: seen.access };
  };
  const controller = defineController<InlineSeen, InlineEffect, ServerStatus>(
    {
      name: 'inline-bmc-onboarding',
      table: { ...bmcTable, name: 'Server' },
      watches: [...parts.watches, ...watchPower({ ...parts, readings, locate })],
      read,
      decide: decideInline,
      statusOf: ({ server }) => server.status,
      writeStatus: ({ server }, status, { signal }) => patchStatus(servers, server, status, { signal }),
      subjectOf: ({ server }) => ({ ...server, apiVersion: ironcoreApiVersion, kind: 'Server' }),
      effects: {
        'read-bmc': async ({ isFull }, { seen, key, signal }) => {
          const { bmc } = seen.server.spec;
          if (bmc === undefined) return ok();
          const credentials = loginTo(bmc.bmcSecretRef.name);
          const reading = await readBmc({ name: key, origin: inlineOrigin(bmc), credentials, isFull }, signal);
          readings.set(key, rememberReading(readings.get(key), { at: clock.now(), access: seen.access, reading }));
          controller.wake(key);
          return ok();
        },
        'name-system': async ({ path }, { seen, signal }) => {
          const { name, uid } = seen.server.metadata;
          const body = { metadata: { name, uid }, spec: { systemURI: path } } as unknown as Server;
          await servers.apply(body, { fieldManager: fieldManagers.onboarding, signal });
          return ok();
        },
      },
    },
    options,
  );
  return controller;
}

/** Undefined for Servers that are none of its business, and for those that are to be left alone. */
function readInlineSeen(
  { tables, settings }: InlineControllerParts,
  key: string,
  remembered: RememberedReading | undefined,
): InlineSeen | undefined {
  const server = tables.servers.get(key);
  const { bmc } = server?.spec ?? {};
  if (server === undefined || bmc === undefined || server.metadata.deletionTimestamp !== undefined) return undefined;
  const { labels, annotations } = server.metadata;
  if (isExcluded(labels) || annotations?.[operationAnnotation] === 'ignore') return undefined;
  const { name } = bmc.bmcSecretRef;
  const secret = tables.bmcSecrets.get(name);
  return {
    server,
    access: JSON.stringify([inlineOrigin(bmc), name, secret?.metadata.resourceVersion]),
    obstacle: addressFault(bmc) ?? accessFault(bmc.protocol, { name, secret }),
    remembered,
    settings,
  };
}
