import type { Bmc } from '../bmc.ts';
import { connectOver } from '../connect.ts';
import { createHurriedClock } from './hurried-clock.ts';
import { createScriptedGate, type ScriptedGate, type ScriptedGateOptions } from './scripted-gate.ts';

/** A BMC over a scripted gate, with a clock on which sleeping takes no time. */
export interface ScriptedBmc {
  readonly bmc: Bmc;
  readonly gate: ScriptedGate;
  readonly clock: ReturnType<typeof createHurriedClock>;
}

/** Makes a scripted BMC. */
export function createScriptedBmc(options: ScriptedGateOptions & { readonly systemPath?: string } = {}): ScriptedBmc {
  const gate = createScriptedGate(options);
  const clock = createHurriedClock();
  const { systemPath } = options;
  const bmc = connectOver({ gate, clock, random: () => 0.5, ...(systemPath === undefined ? {} : { systemPath }) });
  return { bmc, gate, clock };
}
