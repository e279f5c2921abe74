import type { MachineBody } from './machine-body.ts';
import { machineRulesOf } from './rules.ts';
import type { SavedTask } from './saved-machine.ts';
import type { Task, TaskState, Tasks } from './tasks.ts';

const finalStates: ReadonlySet<TaskState> = new Set(['Completed', 'Killed', 'Exception', 'Cancelled', 'Interrupted']);

/** How a task ends. */
export interface TaskEnd {
  readonly state: TaskState;
  readonly status: Task['status'];
  readonly reason?: string;
}

/** A task of the BMC; its progress comes from the simulated time at which it is read. */
export class TaskRecord implements Task {
  readonly id: string;
  readonly kind: Task['kind'];
  readonly startedAt: number;
  readonly updateId?: string;
  readonly stage?: 'verify' | 'install';
  state: TaskState = 'New';
  status: Task['status'] = 'OK';
  reason?: string;
  endedAt?: number;
  readonly #machine: MachineBody;
  #from = 0;
  #to = 0;
  #sinceMs = 0;
  #untilMs = 0;

  constructor(machine: MachineBody, order: { id: string; startedAt?: number } & TaskOrder) {
    this.#machine = machine;
    this.id = order.id;
    this.kind = order.kind;
    this.startedAt = order.startedAt ?? machine.clock.now();
    if (order.updateId !== undefined) this.updateId = order.updateId;
    if (order.stage !== undefined) this.stage = order.stage;
  }

  get isEnded(): boolean {
    return finalStates.has(this.state);
  }

  get percent(): number {
    const nowMs = this.#machine.clock.elapsedMs();
    if (nowMs >= this.#untilMs) return this.#to;
    const share = (nowMs - this.#sinceMs) / (this.#untilMs - this.#sinceMs);
    return Math.floor(this.#from + (this.#to - this.#from) * Math.max(0, share));
  }

  set percent(value: number) {
    this.#from = value;
    this.#to = value;
    this.#untilMs = 0;
  }

  /** Runs on from where it is to a percentage that it reaches after the duration. */
  run(to: number, durationMs: number): void {
    this.#from = this.percent;
    this.#to = Math.max(this.#from, to);
    this.#sinceMs = this.#machine.clock.elapsedMs();
    this.#untilMs = this.#sinceMs + durationMs;
    this.state = 'Running';
  }

  /** Stands still until something happens. */
  wait(state: TaskState): void {
    this.percent = this.percent;
    this.state = state;
  }

  /** What outlives the simulator: a task that waits, or one that ended well before what it did is active. */
  save(): SavedTask {
    const { id, kind, startedAt, endedAt, updateId, stage } = this;
    return {
      id,
      kind,
      startedAt,
      state: this.state === 'Completed' ? 'Completed' : 'Pending',
      percent: this.percent,
      ...(endedAt === undefined ? {} : { endedAt }),
      ...(updateId === undefined ? {} : { updateId }),
      ...(stage === undefined ? {} : { stage }),
    };
  }

  /** Becomes what was saved. */
  restore(saved: SavedTask): void {
    this.state = saved.state;
    this.percent = saved.percent;
    if (saved.endedAt !== undefined) this.endedAt = saved.endedAt;
  }

  end(end: TaskEnd): void {
    if (this.isEnded) return;
    this.percent = end.state === 'Completed' ? 100 : this.percent;
    this.state = end.state;
    this.status = end.status;
    if (end.reason !== undefined) this.reason = end.reason;
    this.endedAt = this.#machine.clock.now();
    this.#machine.tasks.ended(this);
  }
}

/** What a new task is for. */
export interface TaskOrder {
  readonly kind: Task['kind'];
  readonly updateId?: string;
  readonly stage?: 'verify' | 'install';
}

/** The tasks of one BMC: all that run, and the last few that ended. */
export class TaskList implements Tasks {
  readonly #machine: MachineBody;
  #tasks: readonly TaskRecord[] = [];
  #count = 0;

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  /** How many there ever were. */
  get count(): number {
    return this.#count;
  }

  get all(): readonly TaskRecord[] {
    return this.#tasks;
  }

  find(id: string): TaskRecord | undefined {
    return this.#tasks.find((task) => task.id === id);
  }

  remove(id: string): void {
    this.#tasks = this.#tasks.filter((task) => task.id !== id);
  }

  clear(): void {
    this.#tasks = [];
  }

  add(order: TaskOrder): TaskRecord {
    this.#count++;
    const rules = machineRulesOf(this.#machine.personality);
    const id = rules.taskId?.(this.#machine, this.#count) ?? String(this.#count);
    const task = new TaskRecord(this.#machine, { id, ...order });
    this.#tasks = [...this.#tasks, task];
    this.#machine.log.add('task.begin', `id=${id} kind=${order.kind}`);
    this.#publish(task, 'TaskStarted');
    return task;
  }

  /** Takes over a task of an earlier run. */
  restore(saved: SavedTask): TaskRecord {
    const task = new TaskRecord(this.#machine, saved);
    task.restore(saved);
    this.#tasks = [...this.#tasks, task];
    return task;
  }

  /** Goes on counting from an earlier run. */
  countFrom(count: number): void {
    this.#count = count;
  }

  /** Notes the end of a task, and forgets the oldest of those that ended. */
  ended(task: TaskRecord): void {
    const reason = task.reason === undefined ? '' : ` reason=${task.reason}`;
    this.#machine.log.add('task.end', `id=${task.id} state=${task.state} status=${task.status}${reason}`);
    const isGood = task.state === 'Completed' && task.status === 'OK';
    this.#publish(task, isGood ? 'TaskCompletedOK' : task.state === 'Cancelled' ? 'TaskCancelled' : 'TaskAborted');
    const ended = this.#tasks.filter((each) => each.isEnded);
    for (const old of ended.slice(0, Math.max(0, ended.length - this.#machine.personality.limits.tasks))) {
      this.remove(old.id);
    }
  }

  #publish(task: TaskRecord, event: string): void {
    this.#machine.events.publish({
      messageId: `TaskEvent.1.0.${event}`,
      message: `Task ${task.id}: ${event}.`,
      severity: event === 'TaskAborted' ? 'Critical' : 'OK',
      origin: `/redfish/v1/TaskService/Tasks/${task.id}`,
    });
  }
}
