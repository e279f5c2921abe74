import type { Metrics } from '../telemetry/index.ts';
import type { HostResult, Report } from './report.ts';

/** What discovery reports. */
export interface DiscoveryMetrics {
  polled(outcome: 'ok' | 'failed'): void;
  host(outcome: HostResult['kind']): void;
  /** How machines stand for one BareMetalHostDiscovery. */
  told(key: string, report: Report): void;
  gone(key: string): void;
}

/** Defines the metrics of discovery. */
export function createDiscoveryMetrics(metrics: Metrics): DiscoveryMetrics {
  const polls = metrics.counter({
    name: 'rackwright_discovery_polls_total',
    help: 'Polls of the provisioner for machines, by how they ended: ok, failed.',
    labels: ['outcome'],
  });
  const hosts = metrics.counter({
    name: 'rackwright_discovery_hosts_total',
    help: 'Hosts that were to be created of machines, by what became of them.',
    labels: ['outcome'],
  });
  const machines = metrics.gauge({
    name: 'rackwright_discovery_machines',
    help: 'Machines by BareMetalHostDiscovery and by how they stand: known, waiting, refused, ignored.',
    labels: ['discovery', 'state'],
  });
  return {
    polled: (outcome) => polls.add(1, { outcome }),
    host: (outcome) => hosts.add(1, { outcome }),
    told(discovery, { known, waiting, refused, ignored }) {
      const counts = { known, waiting, refused: refused.length, ignored };
      for (const [state, count] of Object.entries(counts)) machines.set(count, { discovery, state });
    },
    gone(discovery) {
      for (const state of ['known', 'waiting', 'refused', 'ignored']) machines.remove({ discovery, state });
    },
  };
}
