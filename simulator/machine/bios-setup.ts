import type { BiosAttribute } from '../personalities/personality.ts';
import type { BiosRefusal, BiosSettings, BiosValue } from './machine.ts';
import type { MachineBody } from './machine-body.ts';
import { machineRulesOf } from './rules.ts';
import type { SavedBios, SavedTask } from './saved-machine.ts';
import type { TaskRecord } from './task-list.ts';

const nothing: Readonly<Record<string, BiosValue>> = Object.freeze({});

/** BIOS attributes of one machine; only what differs from the defaults is kept. */
export class BiosSetup implements BiosSettings {
  readonly #machine: MachineBody;
  #changed = nothing;
  #pending = nothing;
  #applied: BiosSettings['applied'];
  #task: TaskRecord | undefined;

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  get current(): Readonly<Record<string, BiosValue>> {
    const values: Record<string, BiosValue> = {};
    for (const attribute of this.#machine.personality.bios) values[attribute.name] = attribute.default;
    return Object.assign(values, this.#changed);
  }

  get pending(): Readonly<Record<string, BiosValue>> {
    return this.#pending;
  }

  get applied(): BiosSettings['applied'] {
    return this.#applied;
  }

  stage(attributes: Readonly<Record<string, unknown>>): 'ok' | readonly BiosRefusal[] {
    const staged: Record<string, BiosValue> = {};
    const refusals: BiosRefusal[] = [];
    for (const [name, value] of Object.entries(attributes)) {
      const attribute = this.#machine.personality.bios.find((each) => each.name === name);
      const problem = problemWith(attribute, value);
      if (problem !== undefined) refusals.push({ attribute: name, problem });
      else if (isBiosValue(value)) staged[name] = value;
    }
    if (refusals.length > 0) return refusals;
    this.#stage(staged);
    return 'ok';
  }

  stageDefaults(): void {
    const current = this.current;
    const staged: Record<string, BiosValue> = {};
    for (const attribute of this.#machine.personality.bios) {
      if (!attribute.isReadOnly && current[attribute.name] !== attribute.default)
        staged[attribute.name] = attribute.default;
    }
    this.#pending = nothing;
    this.#stage(staged);
  }

  clearPending(): boolean {
    if (Object.keys(this.#pending).length === 0) return false;
    this.#pending = nothing;
    this.#task?.end({ state: 'Cancelled', status: 'Warning', reason: 'cancelled' });
    this.#task = undefined;
    this.#machine.log.add('bios.pending-dropped');
    return true;
  }

  /** In POST: what is pending becomes current. */
  apply(): void {
    const names = Object.keys(this.#pending);
    if (names.length === 0) return;
    this.#changed = { ...this.#changed, ...this.#pending };
    this.#pending = nothing;
    this.#applied = { at: this.#machine.manager.now(), messageId: 'Base.1.8.Success' };
    this.#machine.log.add('bios.applied', `attributes=${names.sort().join(',')}`);
    this.#task?.end({ state: 'Completed', status: 'OK' });
    this.#task = undefined;
  }

  /** What outlives the simulator; undefined when all is as it was out of the box. */
  save(): SavedBios | undefined {
    const isNew = Object.keys(this.#changed).length + Object.keys(this.#pending).length === 0;
    if (isNew && this.#applied === undefined) return undefined;
    const applied = this.#applied === undefined ? {} : { applied: this.#applied };
    return { changed: this.#changed, pending: this.#pending, ...applied };
  }

  /** The task of settings that are pending. */
  saveTask(): SavedTask | undefined {
    return this.#task?.save();
  }

  restore(saved: SavedBios, task: SavedTask | undefined): void {
    this.#changed = saved.changed;
    this.#pending = saved.pending;
    this.#applied = saved.applied;
    if (task !== undefined) this.#task = this.#machine.tasks.restore(task);
  }

  #stage(staged: Readonly<Record<string, BiosValue>>): void {
    const names = Object.keys(staged);
    if (names.length === 0) return;
    this.#pending = { ...this.#pending, ...staged };
    this.#machine.log.add('bios.staged', `attributes=${names.sort().join(',')}`);
    if (this.#task === undefined && machineRulesOf(this.#machine.personality).hasBiosTasks) {
      this.#task = this.#machine.tasks.add({ kind: 'bios' });
      this.#task.wait('Pending');
    }
  }
}

function isBiosValue(value: unknown): value is BiosValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function problemWith(attribute: BiosAttribute | undefined, value: unknown): BiosRefusal['problem'] | undefined {
  if (attribute === undefined) return 'unknown';
  if (attribute.isReadOnly) return 'read-only';
  switch (attribute.type) {
    case 'Boolean':
      return typeof value === 'boolean' ? undefined : 'bad-type';
    case 'Integer':
      return typeof value === 'number' && Number.isInteger(value) ? outOfBounds(attribute, value) : 'bad-type';
    case 'String':
      if (typeof value !== 'string') return 'bad-type';
      return value.length > (attribute.maxLength ?? Number.POSITIVE_INFINITY) ? 'bad-value' : undefined;
    case 'Enumeration':
      if (typeof value !== 'string') return 'bad-type';
      return attribute.values?.includes(value) === false ? 'bad-value' : undefined;
  }
}

function outOfBounds(attribute: BiosAttribute, value: number): 'bad-value' | undefined {
  const { lowerBound = Number.NEGATIVE_INFINITY, upperBound = Number.POSITIVE_INFINITY } = attribute;
  return value < lowerBound || value > upperBound ? 'bad-value' : undefined;
}
