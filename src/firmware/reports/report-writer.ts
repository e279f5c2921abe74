import type { DiscoveredFirmware, Server, ServerFirmware, ServerFirmwareStatus } from '../../api/index.ts';
import {
  type Clock,
  isNotFound,
  type KubeClient,
  KubeError,
  type KubeObject,
  type Random,
  type ResourceClient,
  retryOnConflict,
} from '../../kube/index.ts';
import { olderFirst } from '../fleet/fleet.ts';
import type { ObjectTable } from '../fleet/table.ts';
import { resources } from '../resources.ts';
import { patchStatus } from '../status-patch.ts';
import {
  type DiscoveryReport,
  mergeDiscoveryReport,
  mergeServerReport,
  mergeWait,
  type ServerReport,
  type WaitReport,
} from './merge-report.ts';

/** What became of a report. */
export type ReportOutcome =
  | 'written'
  /** What is there is newer, or this very report. */
  | 'stale'
  /** There is no object that it could be written to. */
  | 'no-object';

/** Brings results of jobs into `.status`. */
export interface FirmwareReports {
  /** `stale` where no open request is answered by that job, or the status says so already. */
  wait(report: WaitReport, signal?: AbortSignal): Promise<ReportOutcome>;
  server(report: ServerReport, signal?: AbortSignal): Promise<ReportOutcome>;
  discovery(report: DiscoveryReport, signal?: AbortSignal): Promise<ReportOutcome>;
  /** The greatest number that a store gave to a report which objects show; 0 when they show none of it. */
  newest(store: string, signal?: AbortSignal): Promise<number>;
}

/** What reports are written with. */
export interface ReportsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Caches to write from, which saves a read; without them objects are asked for. */
  readonly tables?:
    | {
        readonly firmwares: ObjectTable<ServerFirmware>;
        readonly discovered: ObjectTable<DiscoveredFirmware>;
      }
    | undefined;
}

/** Writes reports: at most once each, never an older one over a newer one. */
export function createFirmwareReports(options: ReportsOptions): FirmwareReports {
  const firmwares = options.client.resource<ServerFirmware & KubeObject>(resources.firmwares);
  const discovered = options.client.resource<DiscoveredFirmware & KubeObject>(resources.discovered);
  const writeServer = async (
    server: string,
    signal: AbortSignal | undefined,
    merge: (object: ServerFirmware) => ServerFirmwareStatus | undefined,
  ): Promise<ReportOutcome> => {
    const cached = options.tables?.firmwares.byIndex('server', server).toSorted(olderFirst)[0];
    const found = cached ?? (await findFirmware(firmwares, server, signal));
    if (found === undefined) return 'no-object';
    return write(options, { client: firmwares, name: found.metadata.name ?? '', cached, signal }, merge);
  };
  return {
    server: (report, signal) => writeServer(report.server, signal, (object) => mergeServerReport(object, report)),
    wait: (report, signal) =>
      writeServer(report.server, signal, (object) => mergeWait(object, report, options.clock.now())),
    discovery(report, signal) {
      const cached = options.tables?.discovered.get(report.name);
      const job = { client: discovered, name: report.name, cached, signal };
      return write(options, job, (object) => mergeDiscoveryReport(object, report));
    },
    async newest(store, signal) {
      const call = { store, signal };
      return Math.max(await newestIn(firmwares, call), await newestIn(discovered, call));
    },
  };
}

interface Writing<T extends KubeObject> {
  readonly client: ResourceClient<T>;
  readonly name: string;
  readonly cached: T | undefined;
  readonly signal: AbortSignal | undefined;
}

type Reported = KubeObject & { status?: ServerFirmware['status'] | DiscoveredFirmware['status'] };

/** From the cache first; when that is out of date the object is read. */
async function write<T extends Reported>(
  options: ReportsOptions,
  { client, name, cached, signal }: Writing<T>,
  merge: (object: T) => object | undefined,
): Promise<ReportOutcome> {
  let known = cached !== undefined && merge(cached) !== undefined ? cached : undefined;
  const call = signal === undefined ? {} : { signal };
  try {
    return await retryOnConflict(options, async () => {
      const object = known ?? (await client.get({ name }, call));
      known = undefined;
      const status = merge(object);
      if (status === undefined) return 'stale';
      await patchStatus(client, object, status, { signal });
      return 'written';
    });
  } catch (error) {
    if (isNotFound(error)) return 'no-object';
    throw error;
  }
}

async function newestIn<T extends Reported>(
  client: ResourceClient<T>,
  { store, signal }: { readonly store: string; readonly signal: AbortSignal | undefined },
): Promise<number> {
  let newest = 0;
  try {
    for await (const { items } of client.pages(signal === undefined ? {} : { signal })) {
      for (const { status } of items) {
        if (status?.report?.store === store) newest = Math.max(newest, status.report.sequence);
      }
    }
  } catch (error) {
    // A cluster that does not have the kind yet shows nothing, and results go where they can also for one who may not list.
    if (!(error instanceof KubeError && [403, 404].includes(error.code))) throw error;
  }
  return newest;
}

async function findFirmware(
  client: ResourceClient<ServerFirmware & KubeObject>,
  server: Server['metadata']['name'],
  signal: AbortSignal | undefined,
): Promise<ServerFirmware | undefined> {
  const { items } = await client.list({
    fieldSelector: `spec.serverRef.name=${server}`,
    ...(signal === undefined ? {} : { signal }),
  });
  return items.toSorted(olderFirst)[0];
}
