import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { NoticeBook } from '../loop/notice-book.ts';
import type { OrcMetrics } from '../orc-metrics.ts';
import type { InventoryPort } from '../ports/inventory.ts';

/** What the routes of one conditionOrc share. */
export interface OrcContext {
  readonly engine: Engine;
  /** Without one there are neither firmware sets nor enrolment. */
  readonly inventory: InventoryPort | undefined;
  /** Without one, notices are not served. */
  readonly notices: NoticeBook | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OrcMetrics;
}
