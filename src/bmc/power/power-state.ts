import type { Bmc } from '../bmc.ts';
import type { JsonObject } from '../json.ts';
import { type System, systemOf, textIn, timeIn } from '../redfish/index.ts';

/** Whether a host has power. `changing` while it goes on or off; `unknown` where the BMC does not say. */
export type PowerState = 'on' | 'off' | 'changing' | 'unknown';

/** A host's power as its BMC says. */
export interface Power {
  readonly state: PowerState;
  /** In the BMC's own word. */
  readonly said: string | undefined;
  /** When the host was reset last, where the BMC tells. */
  readonly lastResetAt: number | undefined;
}

const stateOf: Readonly<Record<string, PowerState>> = {
  on: 'on',
  off: 'off',
  poweringon: 'changing',
  poweringoff: 'changing',
  paused: 'on',
};

/** The power in the body of a system. */
export function powerIn(system: JsonObject): Power {
  const said = textIn(system, 'PowerState');
  const word = (said ?? '').toLowerCase();
  const state = Object.hasOwn(stateOf, word) ? (stateOf[word] ?? 'unknown') : 'unknown';
  return { state, said, lastResetAt: timeIn(system, 'LastResetTime') };
}

/** Asks for the power of the host. */
export async function readPower(bmc: Bmc): Promise<Power> {
  return powerIn((await systemOf(bmc)).body);
}

/** Asks again for a system that is known already: one request. */
export async function refresh(bmc: Bmc, system: System): Promise<System> {
  const { body } = await bmc.gate.request({ method: 'GET', path: system.path });
  return { path: system.path, body };
}
