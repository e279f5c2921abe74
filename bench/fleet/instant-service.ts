import { setTimeout as delay } from 'node:timers/promises';
import type { Firmware } from '../../src/api/index.ts';
import type {
  FirmwareReports,
  RequestOutcome,
  ScanRequest,
  ServerReport,
  UpdateRequest,
  UpdateServicePort,
} from '../../src/firmware/index.ts';
import { firstInstalled } from './scene.ts';

/** An update service whose BMCs do in no time what they are asked for. */
export interface InstantService extends UpdateServicePort {
  readonly jobs: number;
  /** Where results go. */
  connect(reports: FirmwareReports): void;
  /** Rejects when a result could not be written: its server would wait for it for long. */
  readonly failed: Promise<never>;
}

interface Job extends Pick<ServerReport, 'server' | 'kind'> {
  readonly key: string;
  /** What it installs. */
  readonly firmwares: readonly Firmware[];
}

/** Makes one. It keeps what is installed, and nothing of jobs that are over. */
export function createInstantService({ jobMs }: { readonly jobMs: number }): InstantService {
  const installed = new Map<string, readonly Firmware[]>();
  const failing = Promise.withResolvers<never>();
  let reports: FirmwareReports | undefined;
  let jobs = 0;

  /** What two of one key are: one. */
  const open = new Map<string, string>();

  const partOf = ({ name, manufacturer }: Firmware): string => `${name} ${manufacturer}`;
  const work = async (job: Job, jobId: string): Promise<void> => {
    const sequence = jobs;
    await delay(jobMs);
    const { server, kind } = job;
    const before = installed.get(server) ?? firstInstalled;
    const after = [...new Map([...before, ...job.firmwares].map((each) => [partOf(each), each])).values()];
    installed.set(server, after);
    open.delete(job.key);
    const found = { conditionId: jobId, store: 'bench', sequence, at: Date.now(), installed: after };
    const outcome = await reports?.server({ server, kind, ...found });
    if (outcome === undefined || outcome === 'no-object') throw new Error(`the report on ${server} was not written`);
  };
  const take = (job: Job): Promise<RequestOutcome> => {
    const known = open.get(job.key);
    if (known !== undefined) return Promise.resolve({ kind: 'already-scheduled', jobId: known });
    jobs += 1;
    const jobId = `job-${jobs}`;
    open.set(job.key, jobId);
    work(job, jobId).catch(failing.reject);
    return Promise.resolve({ kind: 'accepted', jobId });
  };

  return {
    failed: failing.promise,
    get jobs() {
      return jobs;
    },
    scan: ({ key, server }: ScanRequest) => take({ key, server: server.name, kind: 'Scan', firmwares: [] }),
    update: ({ key, server, firmwares }: UpdateRequest) =>
      take({ key, server: server.name, kind: 'Update', firmwares }),
    // What could be had for a model is of no concern here; it is asked for once for each.
    discover: () => Promise.resolve({ kind: 'refused', code: 'NoCatalogue', message: 'the bench has no catalogue' }),
    connect(to) {
      reports = to;
    },
  };
}
