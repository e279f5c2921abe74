import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { OrcMetrics } from '../orc-metrics.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import type { OrcStore } from '../store/orc-store.ts';

/** What the routes of one conditionOrc share. */
export interface OrcContext {
  readonly engine: Engine;
  /** Without one there are neither firmware sets nor enrolment. */
  readonly inventory: InventoryPort | undefined;
  /** Without one there are no notices, and an install waits for an inventory that is in its way. */
  readonly store: Pick<OrcStore, 'notices' | 'followUps'> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OrcMetrics;
}
