import type { ResolvedFirmware } from '../../api/index.ts';
import { updateServiceClients } from '../../conditionorc/index.ts';
import {
  type Condition,
  type ConditionOrder,
  type CreateOutcome,
  type Engine,
  readableTarget,
  targetOf,
} from '../../engine/index.ts';
import { UpdateError } from '../errors.ts';
import { kindOf, modelTarget } from '../kinds.ts';
import type { FleetNames } from '../names/fleet-names.ts';
import { checkFirmwares, checkName, type FirmwareVersion, invalid } from './check-request.ts';
import { type FreezeSources, freezeImages } from './freeze-images.ts';
import { resolveServer } from './resolve-server.ts';

/** What requests are taken with. */
export interface RequestDeskParts extends FreezeSources {
  readonly engine: Pick<Engine, 'create' | 'machines'>;
  readonly names: FleetNames;
}

/** What became of a request: a job was created, or the very same was there already. */
export interface TakenRequest {
  readonly job: Condition;
  readonly isNew: boolean;
  /** What of an update cannot be installed on all parts that were selected. */
  readonly resolved?: readonly ResolvedFirmware[];
}

interface Asking {
  /** Who asks. */
  readonly client: string;
  /** Greater runs first; 0 unless given. */
  readonly priority?: number;
}

/** Asks for firmware to be installed. */
export interface UpdateOrder extends Asking {
  /** Name of the Server, or id of the server. */
  readonly server: string | undefined;
  readonly firmwares: readonly FirmwareVersion[];
  /** Install also what is installed already. */
  readonly isForced?: boolean;
}

/** Asks for what is installed to be read. */
export interface ScanOrder extends Asking {
  readonly server: string | undefined;
}

/** Asks for what can be had for a model. What is not said is looked up in the object. */
export interface DiscoverOrder extends Asking {
  readonly name: string | undefined;
  readonly manufacturer?: string | undefined;
  readonly model?: string | undefined;
  readonly versionsToStore?: number | undefined;
}

/**
 * Takes requests: each becomes one condition of the engine, whose store is the queue, the lock and the history. Throws
 * UpdateError and what the engine refuses; then nothing was stored.
 */
export interface RequestDesk {
  update(order: UpdateOrder): Promise<TakenRequest>;
  scan(order: ScanOrder): Promise<TakenRequest>;
  discover(order: DiscoverOrder): Promise<TakenRequest>;
}

/** Makes the desk. */
export function createRequestDesk(parts: RequestDeskParts): RequestDesk {
  const { engine } = parts;
  const place = (target: string, order: ConditionOrder, asking: Asking): Promise<CreateOutcome> =>
    engine.create({
      target,
      client: `${updateServiceClients}${asking.client}`,
      orders: [{ ...order, ...(asking.priority === undefined ? {} : { priority: asking.priority }) }],
    });
  return {
    async update(order) {
      const firmwares = checkFirmwares(order.firmwares);
      const machine = await resolveServer(parts, order.server);
      const { images, resolved } = await freezeImages(parts, machine, firmwares);
      const parameters = { firmwares: [...images], force_install: order.isForced === true };
      const outcome = await place(targetOf(machine.id), { kind: kindOf.update, parameters }, order);
      if (outcome.outcome === 'conflict') throw conflict(outcome.current);
      return { ...taken(outcome), ...(resolved.length === 0 ? {} : { resolved }) };
    },
    async scan(order) {
      const machine = await resolveServer(parts, order.server);
      const outcome = await place(targetOf(machine.id), { kind: kindOf.scan, parameters: {} }, order);
      // One that reads more than was asked for reads what was asked for.
      return outcome.outcome === 'conflict' ? { job: outcome.current, isNew: false } : taken(outcome);
    },
    async discover(order) {
      const parameters = await describeDiscovery(parts, order);
      const outcome = await place(modelTarget(parameters), { kind: kindOf.discovery, parameters }, order);
      if (outcome.outcome === 'conflict') throw conflict(outcome.current);
      return taken(outcome);
    },
  };
}

function taken(outcome: Exclude<CreateOutcome, { outcome: 'conflict' }>): TakenRequest {
  const [job] = outcome.conditions;
  if (job === undefined) throw new TypeError('the engine took an order and made no condition');
  return { job, isNew: outcome.outcome === 'created' };
}

function conflict(current: Condition): UpdateError {
  const { id, kind, state } = current;
  return new UpdateError('conflict', { kind, target: readableTarget(current), state, job: id }, { jobId: id });
}

async function describeDiscovery({ names }: RequestDeskParts, order: DiscoverOrder) {
  const name = checkName(order.name, 'discovered_firmware.name');
  const known = await names.discoveredFirmware(name);
  // What the object says counts: whoever asks may have seen an older one.
  const manufacturer = (known?.manufacturer ?? order.manufacturer ?? '').trim();
  const model = (known?.model ?? order.model ?? '').trim();
  if (manufacturer === '' || model === '') throw new UpdateError('discoveredFirmwareNotFound', { name });
  const { otherModels = [] } = known ?? {};
  const versionsToStore = known?.versionsToStore ?? order.versionsToStore ?? 3;
  if (!Number.isInteger(versionsToStore) || versionsToStore < 1 || versionsToStore > 100) {
    throw invalid([`versions_to_store is ${versionsToStore}, and must be from 1 to 100`]);
  }
  return {
    name,
    manufacturer: checkName(manufacturer, 'manufacturer'),
    model: checkName(model, 'model'),
    versionsToStore,
    ...(otherModels.length === 0 ? {} : { otherModels: [...otherModels] }),
  };
}
