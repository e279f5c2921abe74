import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from '../../engine/index.ts';
import type { CertifiedKey } from '../../kube/index.ts';
import { makeDirectory } from '../../kube/index.ts';
import { bootTokensIn, openAgents, type Provisioners } from '../../provisioners/index.ts';
import { createFixedAuthorizer } from '../../rest/index.ts';
import type { Logger, MetricsRegistry } from '../../telemetry/index.ts';
import { usageError } from '../errors.ts';
import { type CertificateSettings, followCertificate } from '../install-service/certificate.ts';
import type { Closing } from '../install-service/closing.ts';
import { serveRest } from '../install-service/work-plane.ts';
import type { Settings } from '../settings.ts';

/** What the endpoint for agents is told. */
export type AgentSettings = CertificateSettings &
  Settings<'agentHost' | 'agentPort' | 'agentTokenFile' | 'dataDir' | 'host' | 'port' | 'provisioningLimit'>;

/** What it runs on. */
export interface AgentServing {
  readonly database: Database;
  readonly certificate: CertifiedKey | undefined;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly open: Closing;
  /** Looks after all hosts that no agent does, and after the BMCs of those that one does. */
  readonly beside: Provisioners;
  /** How often a host is looked at again while something goes on; as usual unless given. */
  readonly pollMs?: number | undefined;
}

/** An endpoint for agents that is served. */
export interface ServedAgents {
  /** What boot configurations name. */
  readonly url: string;
  readonly tokenFile: string;
  /** All hosts: those of agents, and those beside them. */
  readonly provisioners: Provisioners;
}

const info = {
  title: 'Agents',
  description: 'Where machines that booted an agent introduce themselves, and are told what to do.',
  version: '1',
};

/** So far above the port of the API. */
const portOffset = 3;

/** Serves the endpoint for agents, and gives the hosts that they look after. */
export async function serveAgents(settings: AgentSettings, parts: AgentServing): Promise<ServedAgents> {
  const { database, certificate, logger, metrics, open, beside, pollMs } = parts;
  const tokenFile = settings.agentTokenFile ?? makeTokenFile(settings.dataDir);
  const agents = await openAgents({
    ...{ database, logger, metrics, beside },
    bootTokens: readTokens(tokenFile, logger),
    workLimit: settings.provisioningLimit,
    times: pollMs === undefined ? {} : { pollMs },
  });
  const rest = await serveRest({
    ...{ info, certificate, logger, metrics, routes: agents.routes },
    // Agents are known by their own tokens; nobody else has any business here.
    authorizer: createFixedAuthorizer({}),
    host: settings.agentHost ?? settings.host,
    port: settings.agentPort ?? (settings.port === 0 ? 0 : settings.port + portOffset),
    portOption: '--agent-port',
    missing: async () => [],
  });
  open.add(async () => {
    agents.close();
    await rest.close();
  });
  open.add(followCertificate({ settings, rest, logger }));
  return { url: `${rest.url}/agents`, tokenFile, provisioners: agents.allHosts };
}

function readTokens(file: string, logger: Logger) {
  try {
    return bootTokensIn(file, (error) => logger.error('boot tokens stay as they were', { error }));
  } catch (error) {
    throw usageError(`--agent-token-file: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Made once, for the owner only. */
function makeTokenFile(dataDir: string): string {
  const file = join(dataDir, 'agents', 'boot-tokens');
  if (existsSync(file)) return file;
  makeDirectory(dirname(file), { mode: 0o700 });
  writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  return file;
}

/** The token that new boot configurations get: the first of the file. */
export function newestToken(file: string): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#')) ?? '';
}
