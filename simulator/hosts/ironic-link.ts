import { type Clock, sleep } from '../../src/kube/index.ts';
import type { JsonObject } from '../redfish/route.ts';
import { type AgentLink, ask, type RunningAgent } from './agent-link.ts';

const apiVersion = { 'x-openstack-ironic-api-version': '1.84' };
const agentVersion = '11.0.0';
const retryMs = 30_000;
/** Ironic says after how many seconds it gives an agent up; the agent comes back well before. */
const heartbeatShare = 0.4;
const defaultHeartbeatSeconds = 300;

interface Acquaintance {
  readonly uuid: string;
  readonly token: string | undefined;
  readonly heartbeatMs: number;
}

/** Speaks to Ironic as its agent does: inspection data, look-up, then heartbeats while commands come in. */
export function createIronicLink(options: { readonly url: string; readonly clock: Clock }): AgentLink {
  const base = options.url.replace(/\/$/, '');
  return {
    async run(agent) {
      await postInventory(base, agent);
      const known = await lookUp(agent);
      if (known === undefined) return;
      if (known.token !== undefined) agent.setToken(known.token);
      while (!agent.signal.aborted) {
        await heartbeat(agent, known);
        await sleep(options.clock, known.heartbeatMs, agent.signal);
      }
    },
  };

  async function lookUp(agent: RunningAgent): Promise<Acquaintance | undefined> {
    const addresses = encodeURIComponent(agent.macs.join(','));
    while (!agent.signal.aborted) {
      const answer = await ask(`${base}/v1/lookup?addresses=${addresses}`, {
        method: 'GET',
        headers: apiVersion,
        signal: agent.signal,
      });
      const known = answer?.status === 200 ? acquaintance(answer.body) : undefined;
      if (known !== undefined) return known;
      await sleep(options.clock, retryMs, agent.signal);
    }
    return undefined;
  }

  async function heartbeat(agent: RunningAgent, known: Acquaintance): Promise<void> {
    const answer = await ask(`${base}/v1/heartbeat/${known.uuid}`, {
      method: 'POST',
      headers: apiVersion,
      body: { callback_url: agent.callbackUrl, agent_version: agentVersion, agent_token: known.token ?? null },
      signal: agent.signal,
    });
    agent.note('agent.heartbeat', `status=${answer?.status ?? 'none'}`);
  }
}

async function postInventory(base: string, agent: RunningAgent): Promise<void> {
  const answer = await ask(`${base}/v1/continue_inspection`, {
    method: 'POST',
    headers: apiVersion,
    body: agent.inventory,
    signal: agent.signal,
  });
  // 404 is Ironic's way of saying that nobody waits for this inventory.
  agent.note('agent.inventory', `status=${answer?.status ?? 'none'}`);
}

function acquaintance(body: JsonObject): Acquaintance | undefined {
  const node = body.node as JsonObject | undefined;
  const config = (body.config as JsonObject | undefined) ?? {};
  if (typeof node?.uuid !== 'string') return undefined;
  const seconds = typeof config.heartbeat_timeout === 'number' ? config.heartbeat_timeout : defaultHeartbeatSeconds;
  return {
    uuid: node.uuid,
    token: typeof config.agent_token === 'string' ? config.agent_token : undefined,
    heartbeatMs: seconds * 1000 * heartbeatShare,
  };
}
