import { type HealthSubject, type HostHealthKind, isInTrouble, readHostHealth } from '../../api/index.ts';
import type { Counter, Histogram, Labels, Metrics } from '../../telemetry/index.ts';
import type { Count } from '../decide/seen.ts';

const host = ['namespace', 'host'] as const;
const durations = [30, 90, 180, 360, 720, 1440];

/** Every metric of this room that a decision can count, by the name that decisions use. They are named as in Metal3. */
const counters = {
  reconcile: ['metal3_reconcile_total', 'Looks at hosts.', host],
  reconcileError: ['metal3_reconcile_error_total', 'Looks at hosts that went wrong.', []],
  hostError: ['metal3_host_error_total', 'Failures of hosts.', ['error_type']],
  powerChange: ['metal3_operation_power_change_total', 'Hosts switched on or off.', [...host, 'on_off']],
  credentialsMissing: ['metal3_credentials_missing_total', 'BMC Secrets that were not there.', []],
  credentialsInvalid: ['metal3_credentials_invalid_total', 'BMC details that cannot be used.', []],
  credentialsUnhandled: ['metal3_credentials_unhandled_error_total', 'BMC Secrets that could not be read.', []],
  credentialsUpdated: ['metal3_credentials_updated_total', 'BMC credentials that were new.', []],
  noManagementAccess: ['metal3_credentials_no_management_access_total', 'BMCs that could not be reached.', []],
  hostConfigDataError: ['metal3_host_config_data_error_total', 'First-boot data not read.', ['host_data_type']],
  delayedProvisioning: ['metal3_delayed__provisioning_total', 'Hosts that waited to be provisioned.', host],
  delayedDeprovisioning: ['metal3_delayed__deprovisioning_total', 'Hosts that waited to be deprovisioned.', host],
  stateChange: ['metal3_provisioning_state_change_total', 'Hosts that went on.', ['prev_state', 'new_state']],
  hostRegistrationRequired: ['metal3_host_registration_required_total', 'Hosts registered anew.', []],
  hostUnmanaged: ['metal3_host_unmanaged_total', 'Hosts without BMC details.', []],
  deleteWithoutDeprovisioning: [
    'metal3_delete_without_deprovisioning_total',
    'Hosts deleted with what was on them.',
    [],
  ],
  deleteWithoutPoweringOff: ['metal3_delete_without_powering_off_total', 'Hosts deleted that may be on.', []],
  deleteDelayedForDetached: ['metal3_delete_delayed_for_detached_total', 'Deletions of detached hosts that wait.', []],
  service: ['metal3_operation_service_total', 'Live updates of hosts that ended, by how they did.', ['result']],
  waitingForBootImage: ['metal3_waiting_for_preprov_image_total', 'Looks at hosts whose boot image is not built.', []],
  provisionerNotReady: ['metal3_provisioner_not_ready_total', 'Looks at hosts that no provisioner answered.', []],
} as const satisfies Record<string, readonly [name: string, help: string, labels: readonly string[]]>;

const histograms = {
  registerDuration: ['metal3_operation_register_duration_seconds', 'Time to register a host.', undefined],
  inspectDuration: ['metal3_operation_inspect_duration_seconds', 'Time to inspect a host.', durations],
  provisionDuration: ['metal3_operation_provision_duration_seconds', 'Time to provision a host.', durations],
  deprovisionDuration: ['metal3_operation_deprovision_duration_seconds', 'Time to deprovision a host.', durations],
  serviceDuration: ['metal3_operation_service_duration_seconds', 'Time to service a host in use.', durations],
} as const satisfies Record<string, readonly [name: string, help: string, buckets: readonly number[] | undefined]>;

/** Counts what decisions ask to be counted. */
export interface HostMetrics {
  count(count: Count, host: { readonly namespace: string; readonly host: string }): void;
}

const kinds: readonly HostHealthKind[] = ['ok', 'busy', 'idle', 'unknown', 'attention', 'error'];

/** Counts hosts by their health, and names those in trouble. */
export interface HealthMetrics {
  /** A host is as told now; undefined: it is gone. */
  at(key: string, host: HealthSubject | undefined): void;
  /** Nobody counts here any more. */
  clear(): void;
}

/** Defines the gauges of the health of hosts; every health is told, also one that no host has. */
export function createHealthMetrics(metrics: Metrics): HealthMetrics {
  const hosts = metrics.gauge({
    name: 'rackwright_hosts',
    help: 'Hosts by their health, as last decided.',
    labels: ['health'],
  });
  const trouble = metrics.gauge({
    name: 'rackwright_host_trouble',
    help: '1 for each host in trouble, with what is wrong.',
    labels: ['namespace', 'host', 'reason'],
  });
  const known = new Map<string, { readonly kind: HostHealthKind; readonly trouble: Labels | undefined }>();
  const counts = new Map(kinds.map((kind) => [kind, 0]));
  const add = (kind: HostHealthKind, more: number): void => {
    const count = (counts.get(kind) ?? 0) + more;
    counts.set(kind, count);
    hosts.set(count, { health: kind });
  };
  const at = (key: string, host: HealthSubject | undefined): void => {
    const before = known.get(key);
    if (before !== undefined) add(before.kind, -1);
    if (before?.trouble !== undefined) trouble.remove(before.trouble);
    known.delete(key);
    if (host === undefined) return;
    const health = readHostHealth(host);
    const slash = key.indexOf('/');
    const labels = { namespace: key.slice(0, slash), host: key.slice(slash + 1), reason: health.word };
    const isTrouble = isInTrouble(health);
    known.set(key, { kind: health.kind, trouble: isTrouble ? labels : undefined });
    add(health.kind, 1);
    if (isTrouble) trouble.set(1, labels);
  };
  for (const kind of kinds) add(kind, 0);
  return {
    at,
    clear() {
      for (const key of [...known.keys()]) at(key, undefined);
    },
  };
}

/** Defines the metrics of this room. */
export function createHostMetrics(metrics: Metrics): HostMetrics {
  const counting = new Map<string, { readonly metric: Counter; readonly labels: readonly string[] }>();
  for (const [key, [name, help, labels]] of Object.entries(counters)) {
    counting.set(key, { metric: metrics.counter({ name, help, labels }), labels });
  }
  const timing = new Map<string, Histogram>();
  for (const [key, [name, help, buckets]] of Object.entries(histograms)) {
    timing.set(key, metrics.histogram({ name, help, labels: host, ...(buckets === undefined ? {} : { buckets }) }));
  }
  return {
    count(count, of) {
      timing.get(count.metric)?.observe(count.seconds ?? 0, of);
      const counter = counting.get(count.metric);
      if (counter === undefined) return;
      const labels: Labels = { ...of, ...count.labels };
      counter.metric.add(1, Object.fromEntries(counter.labels.map((name) => [name, labels[name] ?? ''])));
    },
  };
}
