import type { Metrics } from '../../telemetry/index.ts';

/** Why agents were refused, in one word. */
export type RefusalReason = 'rate' | 'boot-token' | 'agent-token' | 'body' | 'inventory' | 'mac-in-use';

/** Counts what happens at the endpoint for agents. */
export interface AgentCounts {
  introduced(outcome: 'new' | 'again'): void;
  refused(reason: RefusalReason): void;
  crowdedOut(machines: number): void;
}

/** Counts into metrics. */
export function createAgentCounts(metrics: Metrics): AgentCounts {
  const introduced = metrics.counter({
    name: 'rackwright_agent_introductions_total',
    help: 'Machines that introduced themselves, new ones and those that came back.',
    labels: ['outcome'],
  });
  const refused = metrics.counter({
    name: 'rackwright_agent_refusals_total',
    help: 'Requests of agents that were refused, by reason.',
    labels: ['reason'],
  });
  const crowdedOut = metrics.counter({
    name: 'rackwright_agent_machines_crowded_out_total',
    help: 'Machines without a host that were forgotten because too many came after them.',
  });
  return {
    introduced: (outcome) => introduced.add(1, { outcome }),
    refused: (reason) => refused.add(1, { reason }),
    crowdedOut: (machines) => crowdedOut.add(machines),
  };
}
