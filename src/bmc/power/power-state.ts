import type { Bmc } from '../bmc.ts';
import type { JsonObject } from '../json.ts';
import { objectIn, type System, systemOf, textIn, timeIn } from '../redfish/index.ts';

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

/** The health that a BMC tells of its host, in the words of Redfish. */
export type SystemHealth = 'OK' | 'Warning' | 'Critical';

/** What one reading of a system tells of it. */
export interface PowerAndHealth {
  readonly power: Power;
  /** Of the system with all its parts; undefined where the BMC does not say. */
  readonly health: SystemHealth | undefined;
}

const healths: readonly SystemHealth[] = ['OK', 'Warning', 'Critical'];

/** Asks for power and health of the host at once. */
export async function readPowerAndHealth(bmc: Bmc): Promise<PowerAndHealth> {
  const { body } = await systemOf(bmc);
  const status = objectIn(body, 'Status');
  const said = (textIn(status, 'HealthRollup') ?? textIn(status, 'Health') ?? '').toLowerCase();
  return { power: powerIn(body), health: healths.find((each) => each.toLowerCase() === said) };
}

/** Asks again for a system that is known already: one request. */
export async function refresh(bmc: Bmc, system: System): Promise<System> {
  const { body } = await bmc.gate.request({ method: 'GET', path: system.path });
  return { path: system.path, body };
}
