import { request } from 'node:http';
import { type Database, openSqliteDatabase } from '../../../engine/index.ts';
import { createFakeClock, type FakeClock, systemClock } from '../../../kube/index.ts';
import { createFixedAuthorizer, createRest } from '../../../rest/index.ts';
import { createLogger, createMetrics, type MetricsRegistry } from '../../../telemetry/index.ts';
import { type Agents, type AgentsOptions, fixedBootTokens, openAgents } from '../index.ts';

/** For tests: the token that boot configurations hold. */
export const bootToken = 'a-boot-token-of-the-tests';

/** For tests: an answer, read. */
export interface AgentAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** For tests: an endpoint for agents on a free port. */
export interface StartedAgents {
  readonly agents: Agents;
  readonly url: string;
  readonly clock: FakeClock;
  readonly metrics: MetricsRegistry;
  readonly database: Database;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  introduce(body: unknown, token?: string): Promise<AgentAnswer>;
  ask(method: string, path: string, options?: { token?: string | undefined; body?: unknown }): Promise<AgentAnswer>;
}

/** For tests: starts such an endpoint; it is closed when the test ends. */
export async function startedAgents(
  t: { after(close: () => Promise<void>): void },
  options: Partial<AgentsOptions> = {},
): Promise<StartedAgents> {
  const clock = createFakeClock();
  const metrics = createMetrics();
  const log: string[] = [];
  const logger = createLogger({ level: 'debug', write: (line) => void log.push(line) });
  const database = options.database ?? (await openSqliteDatabase({ path: ':memory:', clock: systemClock }));
  const agents = await openAgents({
    ...{ database, clock, metrics, logger, bootTokens: fixedBootTokens(bootToken) },
    ...options,
  });
  const info = { title: 'agents', description: 'For agents.', version: '1' };
  const rest = createRest({ info, authorizer: createFixedAuthorizer({}), logger, metrics });
  rest.add(...agents.routes);
  const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    agents.close();
    await rest.close();
    if (options.database === undefined) await database.close();
  });
  const ask: StartedAgents['ask'] = async (method, path, { token, body } = {}) => {
    const answer = await fetch(`${url}/agents${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  const introduce: StartedAgents['introduce'] = (body, token = bootToken) => ask('POST', '', { token, body });
  return { agents, url, clock, metrics, database, log, introduce, ask };
}

/** For tests: what the machine of that number tells of itself. */
export function inventoryOf(number: number, more: object = {}): { readonly inventory: Record<string, unknown> } {
  return {
    inventory: {
      hostname: `machine-${number}`,
      interfaces: [
        { name: 'eno1', mac_address: macOf(number, 0), ipv4_address: '192.0.2.7', lldp: null, speed_mbps: 25_000 },
        { name: 'eno2', mac_address: macOf(number, 1), ipv4_address: null },
      ],
      disks: [{ name: '/dev/sda', size: 960e9, rotational: false, serial: `D${number}` }],
      cpu: { model_name: 'CPU', architecture: 'x86_64', frequency: '3000.0', count: 32, flags: ['aes'] },
      memory: { physical_mb: 131_072, total: 137_438_953_472 },
      system_vendor: { manufacturer: 'Maker', product_name: 'Server', serial_number: `S${number}` },
      boot: { pxe_interface: macOf(number, 0) },
      ...more,
    },
  };
}

/** For tests: a MAC of that machine. */
export function macOf(number: number, port: number): string {
  const hex = (value: number): string => value.toString(16).padStart(2, '0');
  return `52:54:${hex((number >> 16) & 255)}:${hex((number >> 8) & 255)}:${hex(number & 255)}:${hex(port)}`;
}

/** For tests: a host that would have that machine. */
export function hostOf(number: number, id?: string) {
  return {
    ...{ namespace: 'fleet', name: `host-${number}`, ...(id === undefined ? {} : { id }) },
    bmc: { address: '', isCertificateUnchecked: false },
    bootMacAddress: macOf(number, 0),
    isPowerOffDisabled: false,
  };
}

/** For tests: sends bytes as they are, and gives the status of the answer. */
export function sendRaw(url: string, headers: Record<string, string>, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** How a host is registered whose credentials are new. */
export const registration = {
  isRetry: false,
  haveCredentialsChanged: true,
  isExternallyProvisioned: false,
  bootMode: 'UEFI',
  cleaningMode: 'metadata',
} as const;
