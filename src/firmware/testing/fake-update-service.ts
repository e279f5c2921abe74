import type { Firmware } from '../../api/index.ts';
import type { DiscoverRequest, RequestOutcome, ScanRequest, UpdateRequest, UpdateServicePort } from '../ports.ts';
import type { FirmwareReports, ReportOutcome } from '../reports/report-writer.ts';

/** For tests: a request as it was asked. */
export type Asked =
  | { readonly kind: 'scan'; readonly jobId: string; readonly request: ScanRequest }
  | { readonly kind: 'update'; readonly jobId: string; readonly request: UpdateRequest }
  | { readonly kind: 'discover'; readonly jobId: string; readonly request: DiscoverRequest };

/** For tests: an update service whose jobs do at once, or when told, what jobs do. */
export interface FakeUpdateService extends UpdateServicePort {
  /** Everything that was accepted, in order. */
  readonly asked: Asked[];
  readonly withdrawn: string[];
  /** What is installed on servers, by name of the Server. */
  readonly installed: Map<string, readonly Firmware[]>;
  /** Answers in place of acceptance, while it gives one. */
  answer: ((asked: Asked) => RequestOutcome | undefined) | undefined;
  /** True: every job is done as soon as it is accepted. */
  isInstant: boolean;
  /** Servers whose updates fail. */
  readonly broken: Set<string>;
  /** Does the work of a job and reports it. */
  finish(asked: Asked): Promise<ReportOutcome>;
  /** Jobs that have not reported. */
  open(): Asked[];
  /** Resolves when no job that was begun at once is still being reported. */
  settle(): Promise<void>;
  connect(reports: FirmwareReports, now: () => number): void;
}

/** For tests: the store that numbers what it reports. */
export const fakeStore = 'fake';

/** For tests: makes one. */
export function createFakeUpdateService(): FakeUpdateService {
  const asked: Asked[] = [];
  const done = new Set<string>();
  const running = new Set<Promise<unknown>>();
  let reports: FirmwareReports | undefined;
  let now = (): number => 0;
  let sequence = 0;

  const take = async (draft: DistributiveOmit<Asked, 'jobId'>): Promise<RequestOutcome> => {
    const known = asked.find((each) => !done.has(each.jobId) && each.request.key === draft.request.key);
    if (known !== undefined) return { kind: 'already-scheduled', jobId: known.jobId };
    const entry = { ...draft, jobId: `job-${asked.length + 1}` } as Asked;
    const answered = service.answer?.(entry);
    if (answered !== undefined) return answered;
    asked.push(entry);
    if (service.isInstant) {
      const work = service.finish(entry).finally(() => running.delete(work));
      running.add(work);
    }
    return { kind: 'accepted', jobId: entry.jobId };
  };

  const service: FakeUpdateService = {
    asked,
    withdrawn: [],
    installed: new Map(),
    answer: undefined,
    isInstant: false,
    broken: new Set(),
    scan: (request) => take({ kind: 'scan', request }),
    update: (request) => take({ kind: 'update', request }),
    discover: (request) => take({ kind: 'discover', request }),
    async withdraw({ jobId }) {
      service.withdrawn.push(jobId);
      return 'withdrawn';
    },
    async finish(entry) {
      if (reports === undefined) throw new Error('nobody is there to report to');
      done.add(entry.jobId);
      sequence++;
      const shared = { conditionId: entry.jobId, store: fakeStore, sequence, at: now() };
      if (entry.kind === 'discover') {
        const available = [{ name: 'nic', manufacturer: 'Intel', versions: ['1', '2', '3', '4'] }];
        return reports.discovery({ ...shared, name: entry.request.name, available });
      }
      const { name, systemUUID: machine } = entry.request.server;
      const about = { ...shared, server: name, machine };
      const before = service.installed.get(name) ?? [];
      if (entry.kind === 'scan') return reports.server({ ...about, kind: 'Scan', installed: before });
      if (service.broken.has(name)) {
        const failure = { reason: 'FlashFailed', message: 'the image was refused.' };
        return reports.server({ ...about, kind: 'Update', installed: before, failure });
      }
      const after = new Map(before.map((each) => [`${each.name} ${each.manufacturer}`, each]));
      for (const each of entry.request.firmwares) after.set(`${each.name} ${each.manufacturer}`, each);
      service.installed.set(name, [...after.values()]);
      return reports.server({ ...about, kind: 'Update', installed: [...after.values()] });
    },
    open: () => asked.filter(({ jobId }) => !done.has(jobId)),
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
    connect(to, clock) {
      reports = to;
      now = clock;
    },
  };
  return service;
}

type DistributiveOmit<T, K extends keyof never> = T extends unknown ? Omit<T, K> : never;
