import type { PortSettings, PortState } from '../port-settings.ts';
import type {
  LldpNeighbour,
  PortListing,
  SwitchAbilities,
  SwitchEvent,
  SwitchFacts,
  SwitchWatch,
} from '../switch-device.ts';
import type { PortResults, SwitchFailure, SwitchResult } from '../switch-result.ts';

/** One port to be written: what it was read as, and what it is to be. */
export interface PortWrite {
  readonly port: string;
  readonly seen: PortState;
  readonly wanted: PortSettings;
}

/**
 * What a provider brings for one switch; `createSwitchDevice` makes the whole device of it. A driver may be called for
 * one write at a time only, and stops waiting when the signal aborts.
 */
export interface SwitchDriver {
  /** What the switch is called in messages. */
  readonly title: string;
  readonly abilities: SwitchAbilities;
  verify(signal: AbortSignal): Promise<SwitchResult<SwitchFacts>>;
  listPorts(signal: AbortSignal): Promise<SwitchResult<readonly PortListing[]>>;
  read(ports: readonly string[], signal: AbortSignal): Promise<PortResults<PortState>>;
  /** Writes ports that differ; what came of it is read back by whoever asked. */
  write(writes: readonly PortWrite[], signal: AbortSignal): Promise<PortResults<undefined>>;
  /** Why this switch cannot be set so, where the abilities do not tell it. */
  whyNot?(wanted: PortSettings): SwitchFailure | undefined;
  readNeighbours?(signal: AbortSignal): Promise<SwitchResult<readonly LldpNeighbour[]>>;
  watch?(listener: (event: SwitchEvent) => void): SwitchWatch;
  close(): Promise<void>;
}
