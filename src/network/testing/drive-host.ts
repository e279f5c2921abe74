import type { BareMetalHost, Nic } from '../../api/index.ts';
import { parseKey } from '../../kube/index.ts';
import type { HostNetworkPhase } from '../host/host-phase.ts';
import { linkPort } from '../host/link-port.ts';
import { type HostNetworkPlan, planHostNetwork } from '../host/plan-host-network.ts';
import type { ApiRig, ControllerRig } from './rig.ts';

/** What a host is driven with. */
export interface HostDrive {
  readonly api: ApiRig;
  readonly rig: ControllerRig;
  readonly nics?: readonly Nic[];
}

/** For tests: does for a host what its controller does about ports, until it can go on or is in error. */
export async function driveHost(
  { api, rig, nics }: HostDrive,
  key: string,
  phase: HostNetworkPhase,
): Promise<HostNetworkPlan> {
  const { informers } = rig.controllers;
  const host: BareMetalHost = await api.hosts.get(parseKey(key));
  const seen = { host, phase, tables: informers, ...(nics === undefined ? {} : { nics }) };
  const limit = AbortSignal.timeout(120_000);
  for (;;) {
    const changed = nextChange(informers, limit);
    const plan = planHostNetwork(seen);
    for (const effect of plan.effects) await linkPort(api.client, effect);
    if (plan.verdict !== 'waiting' && plan.effects.length === 0) return plan;
    await changed;
    if (limit.aborted) throw new Error(`the host still waits: ${plan.message}`);
  }
}

function nextChange({ ports, hosts }: ControllerRig['controllers']['informers'], limit: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave: (() => void)[] = [];
    const done = (): void => {
      for (const each of leave) each();
      resolve();
    };
    let isReady = false;
    // What is there already is told at once, and is no change.
    const heard = (): void => {
      if (isReady) done();
    };
    leave.push(ports.onChange(heard), hosts.onChange(heard));
    isReady = true;
    limit.addEventListener('abort', done, { once: true });
  });
}
