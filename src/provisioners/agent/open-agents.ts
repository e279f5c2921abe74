import type { Database } from '../../engine/index.ts';
import { type Clock, systemClock } from '../../kube/index.ts';
import type { Route } from '../../rest/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import type { DiscoverySource } from '../discovery-source.ts';
import type { Provisioners } from '../provisioner.ts';
import type { BootTokens } from './access/boot-tokens.ts';
import { createDoor } from './access/door.ts';
import { createTokenSeal, newSealKey } from './access/token-seal.ts';
import { createAgentProvisioners } from './agent-provisioners.ts';
import { createAgentCounts } from './counts.ts';
import { createAgentSource } from './discovery/agent-source.ts';
import { agentRoutes } from './endpoint/agent-routes.ts';
import { createCommandDesk } from './endpoint/command-desk.ts';
import { createHearing } from './hearing.ts';
import { createRefusals } from './introduction/refusals.ts';
import { type AgentLimits, type AgentTimes, defaultAgentLimits, defaultAgentTimes } from './limits.ts';
import type { AgentParts } from './parts.ts';
import { readSealKey } from './records/seal-key.ts';
import { openMachineRecords } from './records/sql-machines.ts';
import { shareHosts } from './share-hosts.ts';

/** What agents are received with. */
export interface AgentsOptions {
  /** Stays the caller's. */
  readonly database: Database;
  readonly bootTokens: BootTokens;
  readonly limits?: Partial<AgentLimits> | undefined;
  readonly times?: Partial<AgentTimes> | undefined;
  /** How many hosts may be worked on at once; 0, for no limit, unless given. */
  readonly workLimit?: number | undefined;
  /** Looks after power and firmware of hosts that have credentials of a BMC; nobody does unless given. Stays the caller's. */
  readonly beside?: Provisioners | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** The machines that introduce themselves, and what can be done with them. */
export interface Agents {
  /** For a server that agents reach. */
  readonly routes: readonly Route[];
  readonly source: DiscoverySource;
  readonly provisioners: Provisioners;
  /** Those that agents look after, and those that are looked after beside them. */
  readonly allHosts: Provisioners;
  /** Ends questions that are left open; before the server closes. */
  close(): void;
}

/** Opens what agents are received with, with all that was known before. */
export async function openAgents(options: AgentsOptions): Promise<Agents> {
  const { clock = systemClock, logger = silentLogger, metrics = noMetrics } = options;
  const limits = { ...defaultAgentLimits, ...options.limits };
  const times = { ...defaultAgentTimes, ...options.times };
  const records = await openMachineRecords(options.database, limits);
  const parts: AgentParts = {
    records,
    bootTokens: options.bootTokens,
    seal: createTokenSeal(await readSealKey(options.database, newSealKey())),
    door: createDoor({ clock, limits }),
    desk: createCommandDesk(clock),
    hearing: createHearing({ clock, silenceMs: times.silenceMs }),
    refusals: createRefusals({ clock, most: limits.refusals }),
    count: createAgentCounts(metrics),
    ...{ limits, times, clock, logger },
  };
  const { beside } = options;
  const provisioners = createAgentProvisioners(parts, { limit: options.workLimit ?? 0, beside });
  return {
    routes: agentRoutes(parts),
    source: createAgentSource(parts),
    provisioners,
    allHosts: beside === undefined ? provisioners : shareHosts(parts, { agents: provisioners, beside }),
    close: () => parts.desk.close(),
  };
}
