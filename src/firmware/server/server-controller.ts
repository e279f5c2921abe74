import {
  ironcoreApiVersion,
  operationAnnotation,
  type Server,
  type ServerFirmware,
  type ServerFirmwareStatus,
} from '../../api/index.ts';
import {
  type Controller,
  type ControllerOptions,
  defineController,
  type EffectContext,
  type Failure,
  failed,
  type Instant,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  ok,
  type Result,
  removeFinalizer,
  type Watch,
} from '../../kube/index.ts';
import { asSentence, writeConditions } from '../conditions.ts';
import { firmwareFailure } from '../errors.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { UpdateServicePort } from '../ports.ts';
import { createRequestSender } from '../request-sender.ts';
import { fieldManagers, resources, updateFinalizer } from '../resources.ts';
import { patchStatus } from '../status-patch.ts';
import { decideServer, type ServerEffect } from './decide-server.ts';
import { readServerSeen, type ServerReading } from './read-server.ts';
import { withWait } from './request-wait.ts';
import { isAnswered, type ServerSeen, unsentJobId } from './server-facts.ts';
import { serverConditions } from './server-status.ts';
import { serverTable } from './server-table.ts';

/** What the server controller works with. */
export interface ServerControllerParts {
  readonly client: KubeClient;
  readonly fleet: Fleet;
  readonly watches: readonly Watch[];
  readonly updateService: UpdateServicePort;
  readonly reading: ServerReading;
}

/** The parts of the status that are this controller's; the rest is what jobs reported. */
const ownParts = [
  'systemUUID',
  'observedGeneration',
  'attempts',
  'request',
  'openUpdate',
  'failedScans',
  'resolved',
  'conditions',
] as const;

/** Asks for scans and updates of servers. */
export function createServerController(
  parts: ServerControllerParts,
  options: ControllerOptions,
): Controller<ServerEffect, ServerFirmwareStatus> {
  const { client, fleet, updateService } = parts;
  const firmwares = client.resource<ServerFirmware & KubeObject>(resources.firmwares);
  const servers = client.resource<Server & KubeObject>(resources.servers);
  const sender = createRequestSender(options.clock);
  /** The versions that our own writes made of what was seen: they are no reason for a conflict. */
  const written = new WeakMap<object, string | undefined>();
  const versionSeen = (context: EffectContext<ServerSeen>): string | undefined =>
    written.get(context) ?? context.seen.firmware.metadata.resourceVersion;
  /** The job may have reported before its request was written: which list it was for must be known all the same. */
  const keepRequest = (
    { metadata: { name = '', uid } }: ServerSeen['firmware'],
    { request, attempts }: ServerFirmwareStatus,
    signal: AbortSignal,
  ): Promise<Result> =>
    gently(async () => {
      const counted = attempts === undefined ? {} : { attempts };
      const body = {
        metadata: { uid },
        status: { request: { ...request, partHash: request?.partHash ?? null, report: null }, ...counted },
      };
      await firmwares.status.patch({ name }, { type: 'merge', body }, { fieldManager: fieldManagers.status, signal });
    });
  const writeOwn = (seen: ServerSeen, status: ServerFirmwareStatus, context: EffectContext<ServerSeen>) => {
    const metadata = { ...seen.firmware.metadata, resourceVersion: versionSeen(context) };
    const object = { ...seen.firmware, metadata } as ServerFirmware;
    return patchStatus(firmwares, object, status, { parts: ownParts, signal: context.signal });
  };
  return defineController<ServerSeen, ServerEffect, ServerFirmwareStatus>(
    {
      name: 'server-controller',
      table: serverTable,
      watches: parts.watches,
      read: (key) => readServerSeen(fleet, key, parts.reading),
      decide: decideServer,
      statusOf: ({ firmware }) => firmware.status,
      writeStatus: async (seen, status, context) => {
        const job = sender.jobOf(context);
        const resolved = sender.resolvedOf(context);
        if (job === undefined && resolved !== undefined) {
          const { status: decided } = decideServer(withResolved(seen, resolved), options.clock.now());
          await writeOwn(seen, decided ?? status, context);
          return;
        }
        const answered = resolved === undefined ? status : { ...status, resolved };
        const told = job === undefined || status.request?.jobID !== unsentJobId ? answered : withJob(answered, job);
        const waits = sender.waitOf(context);
        const waiting = waits === undefined ? told : withWait(told, waits, options.clock.now());
        try {
          await writeOwn(seen, waiting, context);
        } catch (error) {
          if (isNotFound(error)) return;
          if (isConflict(error) && job !== undefined && told.request?.kind === 'Update') {
            await keepRequest(seen.firmware, told, context.signal);
          }
          throw error;
        }
      },
      describeFailure,
      subjectOf: ({ firmware }) => ({ ...firmware, apiVersion: ironcoreApiVersion, kind: 'ServerFirmware' }),
      effects: {
        scan: ({ request }, context) => sender.send(context, () => updateService.scan(request, context.signal)),
        update: ({ request }, context) => sender.send(context, () => updateService.update(request, context.signal)),
        withdraw: async (order, { signal }) => {
          try {
            await updateService.withdraw?.(order, signal);
            return ok();
          } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            const message = `the update ${order.jobId} could not be taken back: ${why}.`;
            return failed(firmwareFailure('UpdateServiceUnavailable', message, { cause: error }));
          }
        },
        'follow-bios': ({ version }, context) =>
          gently(async () => {
            const { name, uid } = context.seen.firmware.metadata;
            const seen = { name, uid, resourceVersion: versionSeen(context) };
            const body = { metadata: seen, spec: { bios: { version } } } as ServerFirmware;
            const write = { fieldManager: fieldManagers.bios, signal: context.signal };
            const { metadata } = await firmwares.apply(body, write);
            written.set(context, metadata.resourceVersion);
          }),
        'tell-bios': ({ server, version }, { signal }) =>
          gently(async () => {
            const body = { status: { bios: { version } } };
            await servers.status.patch(
              { name: server },
              { type: 'merge', body },
              { fieldManager: fieldManagers.status, signal },
            );
          }),
        'consume-retry': (_, context) =>
          gently(async () => {
            const { name = '' } = context.seen.firmware.metadata;
            const resourceVersion = versionSeen(context);
            const body = { metadata: { resourceVersion, annotations: { [operationAnnotation]: null } } };
            const write = { fieldManager: fieldManagers.status, signal: context.signal };
            const { metadata } = await firmwares.patch({ name }, { type: 'merge', body }, write);
            written.set(context, metadata.resourceVersion);
          }),
        // Not gently: what is not held must not ask for an update.
        hold: async (_, context) => {
          const { name = '', uid, finalizers = [] } = context.seen.firmware.metadata;
          const resourceVersion = versionSeen(context);
          const body = { metadata: { uid, resourceVersion, finalizers: [...finalizers, updateFinalizer] } };
          const write = { fieldManager: fieldManagers.status, signal: context.signal };
          const { metadata } = await firmwares.patch({ name }, { type: 'merge', body }, write);
          written.set(context, metadata.resourceVersion);
          return ok();
        },
        'let-go': async (_, context) => {
          const retry = { clock: options.clock, random: options.random };
          const write = { ...retry, fieldManager: fieldManagers.status, signal: context.signal };
          await removeFinalizer(firmwares, context.seen.firmware, updateFinalizer, write);
          return ok();
        },
      },
    },
    options,
  );
}

/** What the update service answered is known from now on. */
function withResolved(seen: ServerSeen, resolved: NonNullable<ServerFirmwareStatus['resolved']>): ServerSeen {
  const { firmware } = seen;
  return { ...seen, firmware: { ...firmware, status: { ...firmware.status, resolved } } };
}

function withJob(status: ServerFirmwareStatus, jobID: string): ServerFirmwareStatus {
  if (status.request === undefined) return status;
  const { openUpdate, ...kept } = status;
  const isSame = openUpdate?.jobID === jobID;
  return { ...(isSame ? kept : status), request: { ...status.request, jobID } };
}

/** Somebody else was first, or it is gone: the change that tells so wakes the controller. */
async function gently(write: () => Promise<void>): Promise<Result> {
  try {
    await write();
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
  return ok();
}

/** What could not be done, as the status tells it. What is not known to be over stays known: it may have to be taken back. */
function describeFailure(seen: ServerSeen, failure: Failure, now: Instant): ServerFirmwareStatus | undefined {
  const decided = decideServer(seen, now).status;
  if (decided === undefined) return undefined;
  const { request: _, openUpdate: __, ...kept } = decided;
  const { request, openUpdate } = seen.firmware.status ?? {};
  const isOpen = request !== undefined && !isAnswered(seen.firmware.status);
  const isAgain =
    failure.retryAfterMs === undefined
      ? 'again soon, with growing waits'
      : `again every ${Math.round(failure.retryAfterMs / 1000)} s`;
  const message = `Not done: ${asSentence(failure.message)} Tried ${isAgain}.`;
  const drafts = (decided.conditions ?? [])
    .filter(({ type }) => serverConditions.includes(type))
    .map((each) => {
      const { type, status, reason } = each;
      if (type === 'Progressing') return { type, status: 'False' as const, reason: failure.code, message };
      if (type === 'UpToDate' && status === 'False')
        return { type, status, reason: failure.code, message: each.message };
      return { type, status, reason, message: each.message };
    });
  const context = { before: seen.firmware.status?.conditions, generation: seen.firmware.metadata.generation, now };
  return {
    ...kept,
    ...(isOpen ? { request } : {}),
    ...(openUpdate === undefined ? {} : { openUpdate }),
    conditions: writeConditions(drafts, context, serverConditions),
  };
}
