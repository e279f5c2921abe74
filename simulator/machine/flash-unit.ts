import type { FirmwareSlot } from './firmware.ts';
import { formatDetail } from './log-detail.ts';
import type { MachineBody } from './machine-body.ts';
import type { UpdateRecord } from './update-record.ts';

/** How the writing of an image ended. */
export type FlashResult = 'ok' | 'critical' | 'version-stays' | 'failed' | 'interrupted';

/** Writes firmware: one image at a time, one slot after the other. */
export class FlashUnit {
  readonly #machine: MachineBody;
  #record: UpdateRecord | undefined;
  #slot: FirmwareSlot | undefined;
  #isHung = false;

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  /** What is being written. */
  get record(): UpdateRecord | undefined {
    return this.#record;
  }

  /** True while a fault keeps it from ever ending by itself. */
  get isHung(): boolean {
    return this.#isHung;
  }

  start(record: UpdateRecord, done: (result: FlashResult) => void): void {
    const { faults, personality, tasks } = this.#machine;
    this.#record = record;
    record.enter('flashing');
    const opportunity = { component: record.component };
    const durations = record.slots.map((slot) => this.#machine.vary(flashMs(personality.timings.flashMs, slot)));
    record.task.run(
      95,
      durations.reduce((sum, each) => sum + each, 0),
    );
    if (faults.strike('task-vanishes', opportunity) !== undefined) tasks.remove(record.taskId);
    const hang = faults.strike('flash-hangs', opportunity);
    if (hang !== undefined) this.#hang(hang.durationMs, done);
    else this.#write({ record, durations, done });
  }

  /** Stops the flash in its course: the slot keeps what it had. */
  interrupt(): UpdateRecord | undefined {
    const record = this.#record;
    if (record !== undefined) this.#end('interrupted');
    return record;
  }

  #hang(durationMs: number | undefined, done: (result: FlashResult) => void): void {
    const record = this.#record;
    const slot = record?.slots[0];
    if (record === undefined || slot === undefined) return;
    this.#isHung = true;
    this.#begin(record, slot);
    // It stands where a real one would: somewhere in the middle.
    record.task.percent = 40 + Math.floor(this.#machine.random() * 50);
    if (durationMs === undefined) return;
    record.timer = this.#machine.clock.after(durationMs, () => {
      this.#end('failed');
      done('failed');
    });
  }

  #write(
    work: { record: UpdateRecord; durations: readonly number[]; done: (result: FlashResult) => void },
    index = 0,
  ): void {
    const { record, durations, done } = work;
    const slot = record.slots[index];
    if (slot === undefined) return;
    this.#begin(record, slot);
    record.timer = this.#machine.clock.after(durations[index] ?? 0, () => {
      const result = this.#resultOf(record);
      if (result === 'ok') slot.pendingVersion = record.header?.version ?? slot.version;
      const isLast = index + 1 === record.slots.length;
      if (result === 'critical' || isLast) {
        this.#end(result);
        done(result);
      } else {
        this.#logEnd(result);
        this.#write(work, index + 1);
      }
    });
  }

  #resultOf(record: UpdateRecord): FlashResult {
    const opportunity = { component: record.component };
    if (this.#machine.faults.strike('task-completed-critical', opportunity) !== undefined) return 'critical';
    if (this.#machine.faults.strike('version-stays', opportunity) !== undefined) return 'version-stays';
    return 'ok';
  }

  #begin(record: UpdateRecord, slot: FirmwareSlot): void {
    this.#slot = slot;
    const { id, header } = record;
    const detail = { slot: slot.slot, version: header?.version ?? '', from: slot.version, update: id };
    this.#machine.log.add('update.flash-begin', formatDetail(detail));
  }

  #logEnd(result: FlashResult): void {
    const detail = {
      slot: this.#slot?.slot ?? '',
      version: this.#record?.header?.version ?? '',
      result,
      update: this.#record?.id ?? '',
    };
    this.#machine.log.add('update.flash-end', formatDetail(detail));
  }

  #end(result: FlashResult): void {
    this.#logEnd(result);
    this.#record?.stopTimer();
    this.#record = undefined;
    this.#slot = undefined;
    this.#isHung = false;
  }
}

function flashMs(timings: Readonly<{ bmc: number; bios: number; other: number }>, slot: FirmwareSlot): number {
  if (slot.component === 'bmc') return timings.bmc;
  return slot.component === 'bios' ? timings.bios : timings.other;
}
