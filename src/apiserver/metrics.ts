import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AuditLog } from './audit/audit-log.ts';
import type { RequestInfo } from './http/request-info.ts';
import type { Rejection } from './overload/overloaded.ts';
import type { RequestGate } from './overload/request-gate.ts';
import type { CutOff } from './overload/watch-guard.ts';
import type { ResourceRegistry } from './registry.ts';
import type { ObjectStore } from './store/store.ts';

/** Counts requests and shows what is stored, under the names kube-apiserver uses. */
export class RequestMetrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'code'>;
  readonly #durations: Histogram<'verb' | 'resource'>;
  readonly #watches: Gauge<'resource'>;
  readonly #rejected: Counter<'reason'>;
  readonly #cutOff: Counter<'reason'>;

  constructor() {
    this.#watches = new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches that are open now, by resource.',
      labelNames: ['resource'],
      registers: [this.registry],
    });
    this.#durations = new Histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Seconds from a request to its answer, watches excluded.',
      labelNames: ['verb', 'resource'],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers: [this.registry],
    });
    this.#requests = new Counter({
      name: 'apiserver_request_total',
      help: 'Requests answered, by verb, resource and HTTP code.',
      labelNames: ['verb', 'group', 'version', 'resource', 'subresource', 'code'],
      registers: [this.registry],
    });
    this.#rejected = new Counter({
      name: 'rackwright_apiserver_rejected_total',
      help: 'Requests answered with 429 and connections refused because the server was too busy, by reason.',
      labelNames: ['reason'],
      registers: [this.registry],
    });
    this.#cutOff = new Counter({
      name: 'rackwright_apiserver_watches_cut_off_total',
      help: 'Watches that were ended because their clients did not read, by reason.',
      labelNames: ['reason'],
      registers: [this.registry],
    });
    collectDefaultMetrics({ register: this.registry });
  }

  /** Called when a request begins; the function it returns, when it ends. */
  begin(info: RequestInfo): () => void {
    if (info.verb !== 'watch') return () => undefined;
    this.#watches.inc({ resource: info.resource });
    return () => this.#watches.dec({ resource: info.resource });
  }

  observe(info: RequestInfo, code: number, durationMs: number): void {
    const { group, version, resource, subresource } = info;
    const verb = info.verb.toUpperCase();
    this.#requests.inc({ verb, group, version, resource, subresource, code });
    if (info.verb !== 'watch') this.#durations.observe({ verb, resource }, durationMs / 1000);
  }

  /** Called when a request or a connection is sent away. */
  onRejected(reason: Rejection): void {
    this.#rejected.inc({ reason });
  }

  /** Called when a watch is ended because its client does not read. */
  onCutOff(reason: CutOff): void {
    this.#cutOff.inc({ reason });
  }

  /** Shows how many requests are worked on and how many wait. */
  showGate(gate: Pick<RequestGate, 'load'>): void {
    const show = (name: string, help: string, of: 'inFlight' | 'queued'): void => {
      const gauge = new Gauge({
        name,
        help,
        labelNames: ['request_kind'],
        registers: [this.registry],
        collect() {
          gauge.set({ request_kind: 'readOnly' }, gate.load('read')[of]);
          gauge.set({ request_kind: 'mutating' }, gate.load('write')[of]);
        },
      });
    };
    show('apiserver_current_inflight_requests', 'Requests worked on now, by kind; exempt ones excluded.', 'inFlight');
    show('apiserver_current_inqueue_requests', 'Requests that wait for their turn now, by kind.', 'queued');
  }

  /** Shows how many lines the audit log could not keep. */
  showAudit(audit: Pick<AuditLog, 'lost'>): void {
    const gauge = new Gauge({
      name: 'rackwright_apiserver_audit_lines_lost',
      help: 'Lines of the audit log that could not be written since the server started.',
      registers: [this.registry],
      collect() {
        gauge.set(audit.lost());
      },
    });
  }

  /** Shows how many objects of each resource are stored. */
  showStored(store: ObjectStore, resources: ResourceRegistry): void {
    const gauge = new Gauge({
      name: 'apiserver_storage_objects',
      help: 'Objects stored, by resource.',
      labelNames: ['resource'],
      registers: [this.registry],
      collect() {
        gauge.reset();
        for (const r of resources.stored()) {
          gauge.set({ resource: r.group === '' ? r.resource : `${r.resource}.${r.group}` }, store.count(r.bucket));
        }
      },
    });
  }
}
