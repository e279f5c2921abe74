import type { FaultRule } from '../../faults/fault.ts';
import { createFaultSets, type FaultSets } from '../../faults/fault-sets.ts';
import { buildImage } from '../../images/build-image.ts';
import type { ImageFile } from '../../images/check-image.ts';
import type { ComponentType } from '../../images/component-type.ts';
import type { ImageDownloader } from '../../images/download-image.ts';
import { createPlainPersonality, type PlainChanges } from '../../personalities/testing/plain-personality.ts';
import { createSteppedClock, type SteppedClock } from '../../time/stepped-clock.ts';
import { createMachine } from '../create-machine.ts';
import type { Machine } from '../machine.ts';
import type { Update, UpdateRequest } from '../updates.ts';

/** What a test wants of its machine. */
export interface PlainOrder {
  readonly personality?: PlainChanges;
  readonly faults?: readonly FaultRule[];
  readonly seed?: number;
  readonly isPoweredOn?: boolean;
  readonly download?: ImageDownloader;
  readonly clock?: SteppedClock;
}

/** A machine, and the time it lives in. */
export interface PlainMachine {
  readonly machine: Machine;
  readonly clock: SteppedClock;
  readonly faults: FaultSets;
  /** Versions by slot. */
  versions(): Record<string, string>;
  /** Names of what was logged, in order. */
  events(): string[];
  /** Begins an update that must be accepted. */
  begin(request: UpdateRequest): Update;
}

/** Makes a machine of the plain personality that a test moves by hand. */
export function createPlainMachine(order: PlainOrder = {}): PlainMachine {
  const clock = order.clock ?? createSteppedClock();
  const seed = order.seed ?? 7;
  const faults = createFaultSets(order.faults ?? [], seed);
  const personality = createPlainPersonality(order.personality);
  const machine = createMachine({
    name: 'r01-s01',
    personality,
    hardware: personality.describe({ model: 'Plain 1', index: 1, random: () => 0.5 }),
    clock,
    seed,
    password: 'secret',
    faults,
    isPoweredOn: order.isPoweredOn ?? true,
    ...(order.download === undefined ? {} : { download: order.download }),
  });
  return {
    machine,
    clock,
    faults,
    versions: () => Object.fromEntries(machine.firmware.map((slot) => [slot.slot, slot.version])),
    events: () => machine.log.events.map((each) => each.event),
    begin: (request) => {
      const begun = machine.updates.begin(request);
      if (!('phase' in begun)) throw new Error(`refused: ${begun.fault} ${begun.detail}`);
      return begun;
    },
  };
}

/** What a test image differs in. */
export interface PlainImage {
  readonly component?: ComponentType;
  readonly version?: string;
  readonly vendor?: string;
  readonly models?: readonly string[];
  readonly softwareId?: string;
}

/** A good image for the plain machine, as a file that arrived. */
export function plainFile(image: PlainImage = {}): ImageFile {
  const component = image.component ?? 'nic';
  const built = buildImage({
    vendor: image.vendor ?? 'Plain',
    models: image.models ?? ['Plain 1'],
    softwareId: image.softwareId ?? `plain-${component}`,
    component,
    version: image.version ?? '2.0.0',
    payloadBytes: 10_000,
  });
  return { head: built.head, sizeBytes: built.lengthBytes, sha256: built.sha256 };
}

/** A push of an image. */
export function plainPush(image: PlainImage = {}, applyTime?: string): UpdateRequest {
  return { via: 'multipart', targets: [], file: plainFile(image), ...(applyTime === undefined ? {} : { applyTime }) };
}
