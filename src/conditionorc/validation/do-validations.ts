import type { Condition, Engine, JsonObject, Lease } from '../../engine/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { InventoryPort } from '../ports/inventory.ts';
import { compareFirmware } from './compare-firmware.ts';
import { firmwareValidation, readValidation } from './firmware-validation.ts';

/** What is needed to write validations down. */
export interface ValidationParts {
  readonly engine: Pick<Engine, 'list' | 'worker' | 'kinds'>;
  readonly inventory: Pick<InventoryPort, 'recordValidation' | 'installedFirmware'>;
  /** Of this process. */
  readonly workerId: string;
  readonly now: () => number;
  readonly logger: Logger;
}

const atOnce = 100;
const tryAgainMs = 60_000;
/** How often is looked whether the server was read after the install; its deadline ends that. */
const readAgainMs = 10_000;

/**
 * Does the validations that wait, wherever their servers are: they need no device, so that conditionOrc does them
 * itself, and is a worker only while there are some. Says how many it did.
 */
export async function doValidations(parts: ValidationParts): Promise<number> {
  const { engine, workerId } = parts;
  const { kind } = firmwareValidation;
  if (!engine.kinds.some((one) => one.kind === kind)) return 0;
  const { conditions } = await engine.list({ kind, states: ['pending'], limit: atOnce });
  const ready = conditions.filter(({ reason }) => reason?.code !== 'WaitsForUnit');
  if (ready.length === 0) return 0;
  const facilities = [...new Set(ready.map(({ facility }) => facility))];
  await engine.worker.online({ id: workerId, kinds: [kind], facilities });
  try {
    const leases = await engine.worker.lease(workerId, { max: atOnce, waitMs: 0 });
    for (const lease of leases) await doOne(parts, lease);
    return leases.length;
  } finally {
    await engine.worker.offline(workerId);
  }
}

async function doOne(parts: ValidationParts, { condition, token }: Lease): Promise<void> {
  const held = { conditionId: condition.id, token };
  const { worker } = parts.engine;
  try {
    const fact = readValidation(condition);
    const { kind, message } = await compare(parts, condition, fact.serverId);
    if (kind === 'too-early') return await worker.release(held, message, { afterMs: readAgainMs, isNotCounted: true });
    if (kind === 'differs') {
      const reason = { code: 'FirmwareDiffers', message };
      await worker.report(held, { state: 'failed', reason, status: { msg: message } });
      return;
    }
    await parts.inventory.recordValidation({ ...fact, at: parts.now() });
    const status = { msg: `firmware set ${fact.setId} was installed on server ${fact.serverId} and found there` };
    await worker.report(held, { state: 'succeeded', status });
  } catch (error) {
    parts.logger.warn('a validation was not written down; it is tried again', { condition: condition.id, error });
    await worker.release(held, 'the inventory did not take it', { afterMs: tryAgainMs });
  }
}

/** What was installed in the same unit against what the inventory found after it. */
async function compare(
  { engine, inventory }: ValidationParts,
  condition: Condition,
  serverId: string,
): Promise<{ readonly kind: 'same' | 'differs' | 'too-early'; readonly message: string }> {
  const { conditions } = await engine.list({ unit: condition.unit, isWithHistory: true, limit: atOnce });
  const install = conditions.find((one) => one.kind === 'firmwareInstall');
  const wanted = Array.isArray(install?.parameters.firmwares) ? (install.parameters.firmwares as JsonObject[]) : [];
  const installed = await inventory.installedFirmware(serverId);
  if (installed === undefined || installed.readAt < (install?.finalizedAt ?? 0)) {
    return { kind: 'too-early', message: 'the inventory of after the install is not there yet' };
  }
  const found = compareFirmware(wanted, installed);
  return { kind: found.kind, message: found.kind === 'same' ? '' : found.message };
}
