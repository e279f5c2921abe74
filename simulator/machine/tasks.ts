/** TaskState of Redfish, those that a BMC here can be in. */
export type TaskState =
  | 'New'
  | 'Starting'
  | 'Pending'
  | 'Running'
  | 'Suspended'
  | 'Interrupted'
  | 'Stopping'
  | 'Completed'
  | 'Killed'
  | 'Exception'
  | 'Cancelled';

/** A task of the BMC. Vendor jobs are views of the same. */
export interface Task {
  readonly id: string;
  readonly kind: 'firmware' | 'bios' | 'power';
  /** Simulated wall time, whatever the BMC's own clock says. */
  readonly startedAt: number;
  state: TaskState;
  status: 'OK' | 'Warning' | 'Critical';
  percent: number;
  endedAt?: number;
  /** Set where one update has two tasks (Supermicro): one that verifies the image, one that installs it. */
  readonly stage?: 'verify' | 'install';
  /** The update it belongs to. */
  readonly updateId?: string;
  /** Why it failed: a key the personality turns into the vendor's message. */
  reason?: string;
}

/** The task list of one BMC. */
export interface Tasks {
  readonly all: readonly Task[];
  find(id: string): Task | undefined;
  remove(id: string): void;
}
