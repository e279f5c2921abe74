import { type Admission, admitUpdate, findRival, needsHostOff } from './admit-update.ts';
import { examineImage } from './examine-image.ts';
import { type FlashResult, FlashUnit } from './flash-unit.ts';
import { formatDetail } from './log-detail.ts';
import type { MachineBody } from './machine-body.ts';
import { pathOf } from './media-slots.ts';
import { machineRulesOf, updateRulesOf } from './rules.ts';
import type { SavedUpdate } from './saved-machine.ts';
import { UpdateRecord } from './update-record.ts';
import type { Update, UpdateFault, UpdateRefusal, UpdateRequest, Updates } from './updates.ts';

const unreachableMs = 10 * 60_000;
const resetApplyTimes: readonly string[] = ['OnReset', 'InMaintenanceWindowOnReset', 'OnTargetReset'];

/** The updates of one BMC, each on its way from request to new version. */
export class UpdateLine implements Updates {
  readonly #machine: MachineBody;
  #flash: FlashUnit | undefined;
  #updates: readonly UpdateRecord[] = [];
  #count = 0;

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  /** How many there ever were. */
  get count(): number {
    return this.#count;
  }

  get all(): readonly UpdateRecord[] {
    return this.#updates;
  }

  /** True while the BMC's own firmware is written or started. */
  get isBmcBeingWritten(): boolean {
    return this.#updates.some(
      (update) =>
        update.component === 'bmc' && update.isActive && (update.phase === 'flashing' || update.phase === 'activating'),
    );
  }

  /** True while a part is written that the host needs, outside POST: the BMC refuses to change its power state. */
  get isHostNeeded(): boolean {
    const record = this.#flash?.record;
    if (record === undefined || record.isInPost || this.#isTakenFromHost(record)) return false;
    return record.component === 'bios' || record.component === 'cpld';
  }

  begin(request: UpdateRequest): Update | UpdateRefusal {
    const admission = admitUpdate(this.#machine, request, this.#updates);
    if ('fault' in admission) {
      this.#machine.log.add('update.refused', `fault=${admission.fault} via=${request.via}`);
      return admission;
    }
    const record = this.#accept(request, admission);
    if (request.imageUri !== undefined && request.via === 'pull') this.#download(record, request.imageUri, request);
    else this.#verify(record);
    return record;
  }

  startUploaded(): number {
    const waiting = this.#updates.filter((update) => update.waitsFor === 'start');
    for (const record of waiting) {
      if (updateRulesOf(this.#machine.personality).hasVerifyTask) {
        record.task = this.#machine.tasks.add({ kind: 'firmware', updateId: record.id, stage: 'install' });
      }
      this.#machine.log.add('update.started', `update=${record.id}`);
      this.#proceed(record);
    }
    return waiting.length;
  }

  clearQueue(options: { readonly isForced: boolean }): number {
    const queued = this.#updates.filter((update) => !update.isOver && this.#canBeDropped(update, options.isForced));
    for (const record of queued) this.#close(record, { reason: 'cancelled', isCancelled: true });
    const isStuck = options.isForced && this.#flash?.isHung === true;
    if (isStuck) this.#interrupt();
    const hadSettings = this.#machine.bios.clearPending();
    return queued.length + (isStuck ? 1 : 0) + (hadSettings ? 1 : 0);
  }

  /** The host is in POST: what waited for that has its turn. True while POST has to wait. */
  hostInPost(): boolean {
    for (const record of this.#updates) {
      if (record.waitsFor !== 'reset') continue;
      if (record.phase === 'activating' && record.component !== 'bmc') this.#activate(record);
      if (record.phase === 'scheduled') {
        record.isInPost = true;
        record.waitsFor = 'turn';
      }
    }
    this.#flashNext();
    return this.#updates.some((update) => update.isInPost);
  }

  /** The host lost its power in POST: what was being written there failed, what had not begun waits again. */
  hostLost(): void {
    for (const record of this.#updates) {
      if (!record.isInPost || record.phase !== 'scheduled') continue;
      record.isInPost = false;
      this.#schedule(record);
    }
    if (this.#flash?.record?.isInPost) this.#interrupt();
  }

  /** The host is switched on: it crashes with a flash that was taken from it, and what was being written there failed. */
  hostComesOn(): void {
    const record = this.#flash?.record;
    if (record !== undefined && this.#isTakenFromHost(record)) this.#interrupt();
  }

  /** The BMC restarts by request: what it was at is lost, what is staged or scheduled is kept. */
  managerRestarts(): void {
    this.#interrupt();
    for (const record of this.#updates) {
      const isInHand = record.phase === 'downloading' || record.phase === 'verifying';
      if (isInHand) this.#close(record, { fault: 'flash-failed', reason: 'interrupted' });
    }
  }

  /** The BMC is back after a restart by request. */
  managerIsBack(): void {
    for (const record of this.#updates) {
      if (record.waitsFor !== 'reset' || record.component !== 'bmc') continue;
      if (record.phase === 'activating') this.#activate(record);
      else record.waitsFor = 'turn';
    }
    this.#flashNext();
  }

  /** The BMC can be reached again: what had to wait for that goes on. */
  carryOn(): void {
    this.#flashNext();
  }

  /** What outlives the simulator: updates that wait. What is being downloaded, verified or written counts as interrupted. */
  save(): readonly SavedUpdate[] {
    return this.#updates.flatMap((update) => update.save() ?? []);
  }

  /** Takes over the updates that waited in an earlier run; `carryOn` lets them go on. */
  restore(saved: readonly SavedUpdate[], count: number): void {
    this.#count = count;
    this.#updates = saved.map((each) => {
      const slots = this.#machine.firmware.filter((slot) => each.slots.includes(slot.slot));
      return UpdateRecord.restore(each, { slots, task: this.#machine.tasks.restore(each.task) });
    });
  }

  #accept(request: UpdateRequest, admission: Admission): UpdateRecord {
    this.#count++;
    const id = String(this.#count);
    const { applyTime, examination } = admission;
    const isVerify = applyTime === 'OnStartUpdateRequest' && updateRulesOf(this.#machine.personality).hasVerifyTask;
    const stage = isVerify ? { stage: 'verify' as const } : {};
    const task = this.#machine.tasks.add({ kind: 'firmware', updateId: id, ...stage });
    const record = new UpdateRecord({ id, via: request.via, applyTime, targets: request.targets, task });
    if (examination?.header !== undefined) record.header = examination.header;
    if (examination?.fault !== undefined) record.foundFault = examination.fault;
    record.slots = examination?.slots ?? [];
    this.#updates = [...this.#updates, record];
    this.#machine.log.add('update.accepted', `update=${id} via=${request.via} applyTime=${applyTime} task=${task.id}`);
    return record;
  }

  #download(record: UpdateRecord, uri: string, request: UpdateRequest): void {
    const { clock, faults, personality } = this.#machine;
    record.enter('downloading');
    this.#machine.log.add('update.downloading', formatDetail({ update: record.id, path: pathOf(uri) }));
    const durationMs = this.#machine.vary(personality.timings.downloadMs);
    record.task.run(10, durationMs);
    const isDoomed = faults.strike('image-download-fails') !== undefined;
    const fetched = isDoomed ? undefined : clock.standStill(this.#machine.download(uri, request.credentials));
    record.timer = clock.after(durationMs, () => {
      delete record.timer;
      if (fetched === undefined) this.#close(record, { fault: 'download-failed' });
      else void fetched.then((file) => this.#downloaded(record, file));
    });
  }

  #downloaded(record: UpdateRecord, file: Awaited<ReturnType<MachineBody['download']>>): void {
    if (record.isOver) return;
    if ('failure' in file) {
      this.#machine.log.add('update.download-failed', formatDetail({ update: record.id, why: file.failure }));
      this.#close(record, { fault: 'download-failed' });
      return;
    }
    const examination = examineImage(this.#machine, file, record.targets);
    if (examination.header !== undefined) record.header = examination.header;
    const rival = findRival(examination, this.#updates);
    const fault = examination.fault ?? (rival === undefined ? undefined : 'busy');
    if (fault !== undefined) record.foundFault = fault;
    // A rival's slots stay its own.
    else record.slots = examination.slots;
    this.#verify(record);
  }

  #verify(record: UpdateRecord): void {
    const durationMs = this.#machine.vary(this.#machine.personality.timings.verifyMs);
    record.enter('verifying');
    record.task.run(20, durationMs);
    record.timer = this.#machine.clock.after(durationMs, () => {
      delete record.timer;
      if (record.foundFault !== undefined) this.#close(record, { fault: record.foundFault });
      else if (record.applyTime === 'OnStartUpdateRequest') this.#keepUploaded(record);
      else this.#proceed(record);
    });
  }

  #keepUploaded(record: UpdateRecord): void {
    record.wait('uploaded', 'start');
    this.#machine.log.add('update.uploaded', `update=${record.id}`);
    if (updateRulesOf(this.#machine.personality).hasVerifyTask) record.task.end({ state: 'Completed', status: 'OK' });
    else record.task.wait('Pending');
  }

  /** The image is good: it is written now, or waits for a reset. */
  #proceed(record: UpdateRecord): void {
    const rules = updateRulesOf(this.#machine.personality);
    if (needsHostOff(this.#machine, record)) {
      this.#close(record, { fault: 'host-must-be-off' });
      return;
    }
    const isStaged = rules.stagesBios && record.component === 'bios';
    const needsPost = rules.flashesAtPost.some((component) => component === record.component);
    if (isStaged || !(needsPost || resetApplyTimes.includes(record.applyTime))) {
      record.wait('scheduled', 'turn');
      record.task.wait('Pending');
      this.#flashNext();
      return;
    }
    this.#schedule(record);
    if (record.applyTime === 'Immediate' && rules.doesImmediateReboot) this.#machine.power.restart();
  }

  #schedule(record: UpdateRecord): void {
    record.wait('scheduled', 'reset');
    record.task.wait('Pending');
    for (const slot of record.slots) slot.pendingVersion = record.header?.version ?? slot.version;
    this.#machine.log.add('update.scheduled', `update=${record.id}`);
  }

  #flashNext(): void {
    this.#flash ??= new FlashUnit(this.#machine);
    const flash = this.#flash;
    const isActivating = this.#updates.some((update) => update.phase === 'activating' && update.isActive);
    if (flash.record !== undefined || isActivating || !this.#machine.manager.isReachable) return;
    const next = this.#updates.find((update) => update.waitsFor === 'turn');
    if (next === undefined) return;
    if (!next.isInPost && needsHostOff(this.#machine, next)) {
      this.#close(next, { fault: 'host-must-be-off' });
      return;
    }
    for (const slot of next.slots) delete slot.pendingVersion;
    flash.start(next, (result) => this.#flashed(next, result));
  }

  #flashed(record: UpdateRecord, result: FlashResult): void {
    const struck = this.#machine.faults.strike('unreachable-after-flash', { component: record.component });
    const extraMs = struck === undefined ? 0 : (struck.durationMs ?? unreachableMs);
    if (result === 'critical' || result === 'failed') {
      if (extraMs > 0) this.#machine.manager.goAway(extraMs);
      this.#close(record, { fault: 'flash-failed', isCompleted: result === 'critical' });
      return;
    }
    if (record.component === 'bmc' && !updateRulesOf(this.#machine.personality).bmcNeedsReset) {
      this.#restartBmc(record, extraMs);
      return;
    }
    if (extraMs > 0) this.#machine.manager.goAway(extraMs);
    if (this.#isActiveLater(record)) this.#keepStaged(record);
    else this.#activate(record);
    this.#flashNext();
  }

  #isActiveLater(record: UpdateRecord): boolean {
    const rules = updateRulesOf(this.#machine.personality);
    if (record.component === 'bmc') return rules.bmcNeedsReset;
    return record.component === 'bios' && rules.stagesBios && !record.isInPost;
  }

  #keepStaged(record: UpdateRecord): void {
    record.wait('activating', 'reset');
    this.#machine.log.add('update.staged', `update=${record.id}`);
    record.task.end({ state: 'Completed', status: 'OK' });
    this.#leavePost(record);
  }

  #restartBmc(record: UpdateRecord, extraMs: number): void {
    record.enter('activating');
    const { personality, manager } = this.#machine;
    record.task.run(99, personality.timings.managerResetMs);
    // A task list that does not survive the restart has to say so before.
    if (machineRulesOf(personality).losesTasksOnReset) record.task.end({ state: 'Completed', status: 'OK' });
    manager.restart({ extraMs, onBack: () => this.#activate(record) });
  }

  /** The new version runs. Where a flash left nothing behind (a fault), the old one stays. */
  #activate(record: UpdateRecord): void {
    if (record.isOver) return;
    this.#activateSlots(record);
    record.enter('done');
    this.#machine.log.add('update.done', `update=${record.id}`);
    record.task.end({ state: 'Completed', status: 'OK' });
    this.#afterEnd(record);
  }

  #activateSlots(record: UpdateRecord): void {
    for (const slot of record.slots) {
      if (slot.pendingVersion === undefined) continue;
      slot.previousVersion = slot.version;
      slot.version = slot.pendingVersion;
      delete slot.pendingVersion;
      this.#machine.log.add(
        'update.active',
        formatDetail({ slot: slot.slot, version: slot.version, update: record.id }),
      );
    }
  }

  /** The update is over without success; slots that it wrote before it failed have the new version all the same. */
  #close(
    record: UpdateRecord,
    end: {
      readonly fault?: UpdateFault;
      readonly reason?: string;
      readonly isCompleted?: boolean;
      readonly isCancelled?: boolean;
    },
  ): void {
    record.stopTimer();
    if (record.phase === 'flashing') this.#activateSlots(record);
    else for (const slot of record.slots) delete slot.pendingVersion;
    record.enter('failed');
    if (end.fault !== undefined) record.fault = end.fault;
    const reason = end.reason ?? end.fault ?? 'failed';
    this.#machine.log.add('update.failed', `update=${record.id} reason=${reason}`);
    if (end.isCancelled) record.task.end({ state: 'Cancelled', status: 'Warning', reason });
    else record.task.end({ state: end.isCompleted ? 'Completed' : 'Exception', status: 'Critical', reason });
    this.#afterEnd(record);
  }

  #afterEnd(record: UpdateRecord): void {
    const over = this.#updates.filter((update) => update.isOver);
    const forgotten = over.slice(0, Math.max(0, over.length - Math.max(1, this.#machine.personality.limits.tasks)));
    if (forgotten.length > 0) this.#updates = this.#updates.filter((update) => !forgotten.includes(update));
    this.#flashNext();
    this.#leavePost(record);
  }

  #leavePost(record: UpdateRecord): void {
    if (!record.isInPost) return;
    record.isInPost = false;
    if (!this.#updates.some((update) => update.isInPost)) this.#machine.power.resumePost();
  }

  #interrupt(): void {
    const record = this.#flash?.interrupt();
    if (record !== undefined) this.#close(record, { fault: 'flash-failed', reason: 'interrupted' });
  }

  #isTakenFromHost(record: UpdateRecord): boolean {
    const { biosNeedsHostOff } = updateRulesOf(this.#machine.personality);
    return biosNeedsHostOff && record.component === 'bios' && !record.isInPost;
  }

  #canBeDropped(record: UpdateRecord, isForced: boolean): boolean {
    if (record.phase === 'uploaded' || record.phase === 'scheduled') return true;
    return isForced && (record.phase === 'downloading' || record.phase === 'verifying');
  }
}
