import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { BmcProbe, FleetPlane } from '../enrolment/ports.ts';
import type { OrcMetrics } from '../orc-metrics.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import type { OrcStore } from '../store/orc-store.ts';

/** What the routes of one conditionOrc share. */
export interface OrcContext {
  readonly engine: Engine;
  /** Without one there are neither firmware sets nor enrolment. */
  readonly inventory: InventoryPort | undefined;
  /** Without one there are no notices. */
  readonly store: Pick<OrcStore, 'notices'> | undefined;
  /** Without one a server that is enrolled without an id gets one that nobody knows. */
  readonly probe: BmcProbe | undefined;
  /** Where BMCs of enrolled servers are shown; nowhere without one. */
  readonly plane: FleetPlane | undefined;
  /** True where hosts boot an agent when they are asked to. */
  readonly areAgentsPromised: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OrcMetrics;
}
