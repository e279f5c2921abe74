import type { AnsibleSwitchSystem } from '../../api/index.ts';
import type { PortWrite } from '../device/index.ts';
import type { PortAspect, PortSettings, PortState } from '../port-settings.ts';
import type { LldpNeighbour, PortListing } from '../switch-device.ts';
import type { SwitchFailure, SwitchResult } from '../switch-result.ts';
import type { RunnerTask, TaskResult } from './runner-order.ts';

/** What the tasks of a reading told. */
export interface SystemReading {
  portOf(port: string): SwitchResult<PortState>;
  readonly ports?: readonly PortListing[] | undefined;
  readonly version?: string | undefined;
}

/** How one operating system of switches is spoken to by Ansible. */
export interface AnsibleSystem {
  readonly system: AnsibleSwitchSystem;
  readonly writes: readonly PortAspect[];
  readonly reads: readonly PortAspect[];
  readonly canListPorts: boolean;
  /** Variables of the host that say how Ansible connects. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Collections that must be installed beside ansible-core, for the documentation. */
  readonly collections: readonly string[];
  /** Tasks that only read; empty when the system tells nothing this way. */
  readTasks(): readonly RunnerTask[];
  understand(results: readonly TaskResult[]): SystemReading;
  /** Tasks that log in and change nothing, where nothing is read. */
  loginTasks?(): readonly RunnerTask[];
  writeTasks(writes: readonly PortWrite[], reading: SystemReading): readonly RunnerTask[];
  /** How it is asked what its ports hear by LLDP; undefined where it does not tell this way. */
  readonly neighbours?: {
    tasks(): readonly RunnerTask[];
    /** Throws for what makes no sense. */
    understand(results: readonly TaskResult[]): readonly LldpNeighbour[];
  };
  whyNot?(wanted: PortSettings): SwitchFailure | undefined;
}

/** The texts that a task printed, one for each of its commands. */
export function printedParts(results: readonly TaskResult[], name: string): readonly string[] {
  const result = results.find((each) => each.name === name)?.result;
  const printed = result?.printed ?? result?.stdout;
  return Array.isArray(printed) ? printed.map(String) : [String(printed ?? '')];
}
