import { type Condition, EngineError, type KindDefinition, machineIdOf } from '../../engine/index.ts';

/**
 * The last step of trying a firmware set on a server: what came before in the unit has installed it, and the server is
 * read again after it. What was found is compared with what was to be installed, and written down if it is the same. It does not touch
 * the server.
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

/** What is to be written down. */
export function readValidation(condition: Condition): { readonly setId: string; readonly serverId: string } {
  const serverId = machineIdOf(condition.target);
  if (serverId === undefined) throw new EngineError('unknownMachine', { machine: condition.target });
  return { setId: String(condition.parameters.firmware_set_id), serverId };
}
