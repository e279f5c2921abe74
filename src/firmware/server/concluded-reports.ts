import type { ServerFirmware } from '../../api/index.ts';
import {
  type Clock,
  isConflict,
  type KubeClient,
  type KubeObject,
  type ResourceClient,
  sleep,
} from '../../kube/index.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import { isStale, mergeServerReport, type ServerReport } from '../reports/merge-report.ts';
import type { FirmwareReports, ReportOutcome } from '../reports/report-writer.ts';
import { resources } from '../resources.ts';
import { patchStatus } from '../status-patch.ts';
import { decideServer } from './decide-server.ts';
import { readServerSeen, type ServerReading } from './read-server.ts';

/** What reports are concluded with. */
export interface ConcludedReportsParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly fleet: Fleet;
  readonly reading: ServerReading;
  /** Takes what cannot be concluded. */
  readonly plain: FirmwareReports;
}

/**
 * Writes a report on a server together with what the server controller would make of it, so that a job that ends well costs
 * one write instead of two. Only where nothing follows but a status: where something is to be done or told, the report is
 * written alone and the controller acts on it. What it decides for a status that is there already is that very status.
 */
export function createConcludedReports(parts: ConcludedReportsParts): FirmwareReports {
  const firmwares = parts.client.resource<ServerFirmware & KubeObject>(resources.firmwares);
  return {
    discovery: (report, signal) => parts.plain.discovery(report, signal),
    newest: (store, signal) => parts.plain.newest(store, signal),
    wait: (report, signal) => parts.plain.wait(report, signal),
    server: async (report, signal) =>
      (await concludeSoon(parts, firmwares, { report, signal })) ?? (await parts.plain.server(report, signal)),
  };
}

interface Telling {
  readonly report: ServerReport;
  readonly signal: AbortSignal | undefined;
}

const attempts = 6;
const firstWaitMs = 10;

/** From the cache; after a conflict, once the cache has the version that was in the way. Undefined: not this way. */
async function concludeSoon(
  parts: ConcludedReportsParts,
  client: ResourceClient<ServerFirmware & KubeObject>,
  telling: Telling,
): Promise<ReportOutcome | undefined> {
  let inTheWay: string | undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const [firmware] = parts.fleet.firmwaresOf(telling.report.server);
    if (firmware === undefined) return undefined;
    const { resourceVersion } = firmware.metadata;
    if (resourceVersion !== inTheWay) {
      const outcome = await conclude(parts, client, { ...telling, firmware });
      if (outcome !== 'conflict') return outcome;
      inTheWay = resourceVersion;
    }
    await sleep(parts.clock, firstWaitMs * 2 ** attempt, telling.signal);
    if (telling.signal?.aborted === true) return undefined;
  }
  return undefined;
}

async function conclude(
  { clock, fleet, reading }: ConcludedReportsParts,
  client: ResourceClient<ServerFirmware & KubeObject>,
  { report, signal, firmware }: Telling & { readonly firmware: OwnedFirmware },
): Promise<'written' | 'conflict' | undefined> {
  // One that comes late says little of the server, and whether it does is for the API server to tell.
  if (isStale(firmware.status, report)) return undefined;
  const status = mergeServerReport(firmware, report);
  const seen = readServerSeen(fleet, firmware.metadata.name ?? '', reading);
  if (status === undefined || seen === undefined) return undefined;
  const decision = decideServer({ ...seen, firmware: { ...firmware, status } }, clock.now());
  if (decision.effects.length > 0 || (decision.events ?? []).length > 0) return undefined;
  try {
    await patchStatus(client, firmware, decision.status ?? status, { signal });
    return 'written';
  } catch (error) {
    if (isConflict(error)) return 'conflict';
    throw error;
  }
}
