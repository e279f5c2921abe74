import { EngineError, type KindDefinition, machineIdOf, type WorkHandler } from '../../engine/index.ts';
import type { Clock } from '../../kube/index.ts';
import type { InventoryPort } from '../ports/inventory.ts';

/**
 * The last step of trying a firmware set on a server: what came before in the unit has installed it and has found it
 * there, so that it can be written down. It does not touch the server.
 */
export const firmwareValidation: KindDefinition = {
  kind: 'firmwareValidation',
  sharing: 'passive',
  isDisruptive: false,
  leaseMs: 60_000,
  requestDeadlineMs: 10_000,
  maxLeases: 10,
  check(parameters) {
    const { firmware_set_id: setId, ...others } = parameters;
    const problems = Object.keys(others).map((name) => `${name} is unknown`);
    if (typeof setId !== 'string') problems.push('firmware_set_id is missing');
    return { parameters, problems };
  },
};

/** The worker's side of it; conditionOrc does this work itself. */
export function createValidationHandler(parts: {
  readonly inventory: Pick<InventoryPort, 'recordValidation'>;
  readonly clock: Pick<Clock, 'now'>;
}): WorkHandler {
  return async (work) => {
    const { condition } = work;
    const serverId = machineIdOf(condition.target);
    if (serverId === undefined) throw new EngineError('unknownMachine', { machine: condition.target });
    const setId = String(condition.parameters.firmware_set_id);
    await parts.inventory.recordValidation({ setId, serverId, at: parts.clock.now() });
    return { outcome: 'succeeded', status: { msg: `firmware set ${setId} is valid on this model` } };
  };
}
