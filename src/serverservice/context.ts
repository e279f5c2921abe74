import type { Database } from '../engine/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { ConditionView } from './attributes/condition-view.ts';
import type { Sealer } from './credentials/sealer.ts';
import type { MachineRegistry } from './servers/machine-registry.ts';

/** What the parts of one inventory share. */
export interface InventoryContext {
  readonly database: Database;
  readonly logger: Logger;
  newId(): string;
  /** Where servers become machines; without one they do not. */
  readonly machines: MachineRegistry | undefined;
  /** Shows conditions as attributes; without one there are none. */
  readonly conditions: ConditionView | undefined;
  /** Without one neither credentials nor log-ins in URLs are kept. */
  readonly sealer: Sealer | undefined;
  /** True to take firmware without a checksum. */
  readonly isChecksumOptional: boolean;
}
