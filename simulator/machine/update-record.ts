import type { Timer } from '../../src/kube/index.ts';
import type { ImageFile } from '../images/check-image.ts';
import type { ImageHeader } from '../images/image-header.ts';
import type { FirmwareSlot } from './firmware.ts';
import type { SavedUpdate } from './saved-machine.ts';
import type { TaskRecord } from './task-list.ts';
import type { ApplyTime, Update, UpdateFault, UpdatePhase } from './updates.ts';

/** An update in its course, with what the machine needs to carry it on. */
export class UpdateRecord implements Update {
  readonly id: string;
  readonly via: Update['via'];
  readonly applyTime: ApplyTime;
  readonly targets: readonly string[];
  task: TaskRecord;
  header?: ImageHeader;
  slots: readonly FirmwareSlot[] = [];
  phase: UpdatePhase = 'verifying';
  waitsFor?: 'reset' | 'turn' | 'start';
  fault?: UpdateFault;
  /** What verification will find. */
  foundFault?: UpdateFault;
  file?: ImageFile;
  timer?: Timer;
  /** It is written while the host waits in POST. */
  isInPost = false;

  constructor(order: {
    readonly id: string;
    readonly via: Update['via'];
    readonly applyTime: ApplyTime;
    readonly targets: readonly string[];
    readonly task: TaskRecord;
  }) {
    this.id = order.id;
    this.via = order.via;
    this.applyTime = order.applyTime;
    this.targets = order.targets;
    this.task = order.task;
  }

  /** An update of an earlier run, as it was. */
  static restore(
    saved: SavedUpdate,
    own: { readonly slots: readonly FirmwareSlot[]; readonly task: TaskRecord },
  ): UpdateRecord {
    const record = new UpdateRecord({ ...saved, task: own.task });
    record.header = saved.header;
    record.slots = own.slots;
    record.wait(saved.phase, saved.waitsFor);
    return record;
  }

  /** What outlives the simulator; undefined unless it waits with a good image. */
  save(): SavedUpdate | undefined {
    const { id, via, applyTime, targets, header, phase, waitsFor } = this;
    if (waitsFor === undefined || header === undefined) return undefined;
    if (phase !== 'uploaded' && phase !== 'scheduled' && phase !== 'activating') return undefined;
    return {
      id,
      via,
      applyTime,
      targets: [...targets],
      header: { ...header, models: [...header.models] },
      slots: this.slots.map((slot) => slot.slot),
      phase,
      // The host loses its power with the simulator, and what it had to write in POST waits for the next one.
      waitsFor: this.isInPost ? 'reset' : waitsFor,
      task: this.task.save(),
    };
  }

  get taskId(): string {
    return this.task.id;
  }

  get isOver(): boolean {
    return this.phase === 'done' || this.phase === 'failed';
  }

  /** True while the BMC works on it, in contrast to waiting. */
  get isActive(): boolean {
    return !this.isOver && this.waitsFor === undefined;
  }

  get component(): string {
    return this.header?.component ?? 'other';
  }

  /** Goes to a phase in which it waits for something. */
  wait(phase: UpdatePhase, waitsFor: NonNullable<Update['waitsFor']>): void {
    this.phase = phase;
    this.waitsFor = waitsFor;
  }

  /** Goes to a phase in which the BMC works on it, or to its end. */
  enter(phase: UpdatePhase): void {
    this.phase = phase;
    delete this.waitsFor;
  }

  stopTimer(): void {
    this.timer?.cancel();
    delete this.timer;
  }
}
