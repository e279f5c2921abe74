import type { Counter, Gauge, Labels, Metrics } from '../../telemetry/index.ts';

/** What all gates of a process report. Labels are methods and error codes: their number is bounded. */
export interface GateMetrics {
  request(method: string, outcome: string): void;
  waiting(by: number): void;
  sessionOpened(): void;
  sessionEnded(): void;
  logInRefused(): void;
  stoppedGates(count: number): void;
}

/** Defines the metrics of the gates. */
export function createGateMetrics(metrics: Metrics): GateMetrics {
  const requests = metrics.counter({
    name: 'rackwright_bmc_requests_total',
    help: 'Requests to BMCs, retries not counted.',
    labels: ['method', 'outcome'],
  });
  const waiting = metrics.gauge({ name: 'rackwright_bmc_requests_waiting', help: 'Requests that wait for their BMC.' });
  const opened = metrics.counter({ name: 'rackwright_bmc_sessions_opened_total', help: 'Sessions opened on BMCs.' });
  const ended = metrics.counter({ name: 'rackwright_bmc_sessions_ended_total', help: 'Sessions ended on BMCs.' });
  const refused = metrics.counter({ name: 'rackwright_bmc_log_ins_refused_total', help: 'Log-ins that BMCs refused.' });
  const stopped = metrics.gauge({
    name: 'rackwright_bmc_gates_stopped',
    help: 'BMCs that are left alone because they refused the credentials.',
  });
  return { ...counters({ requests, opened, ended, refused }), ...gauges({ waiting, stopped }) };
}

type Counters = Readonly<Record<'requests' | 'opened' | 'ended' | 'refused', Counter>>;

function counters({ requests, opened, ended, refused }: Counters): Omit<GateMetrics, 'waiting' | 'stoppedGates'> {
  const labels = new Map<string, Labels>();
  return {
    request(method, outcome) {
      const key = `${method} ${outcome}`;
      let known = labels.get(key);
      if (known === undefined) {
        known = { method, outcome };
        labels.set(key, known);
      }
      requests.add(1, known);
    },
    sessionOpened: () => opened.add(),
    sessionEnded: () => ended.add(),
    logInRefused: () => refused.add(),
  };
}

function gauges({ waiting, stopped }: Readonly<Record<'waiting' | 'stopped', Gauge>>) {
  let total = 0;
  return {
    waiting(by: number): void {
      total += by;
      waiting.set(total);
    },
    stoppedGates: (count: number): void => stopped.set(count),
  };
}
