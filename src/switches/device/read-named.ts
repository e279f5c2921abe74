import type { PortState } from '../port-settings.ts';
import type { PortResults, SwitchResult } from '../switch-result.ts';
import { whyNoPortName } from './port-name.ts';
import type { SwitchDriver } from './switch-driver.ts';

/** Reads the ports whose names can be names; the others are never shown to the switch. */
export async function readNamed(
  driver: SwitchDriver,
  ports: readonly string[],
  signal: AbortSignal,
): Promise<PortResults<PortState>> {
  const results = new Map<string, SwitchResult<PortState>>();
  for (const port of ports) {
    const why = whyNoPortName(port);
    if (why !== undefined) results.set(port, why);
  }
  const named = [...new Set(ports)].filter((port) => !results.has(port));
  if (named.length === 0) return results;
  for (const [port, result] of await driver.read(named, signal)) results.set(port, result);
  return results;
}
