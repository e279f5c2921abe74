import { type Clock, sleep } from '../../src/kube/index.ts';
import type { JsonObject } from '../redfish/route.ts';
import { type AgentLink, ask, type RunningAgent } from './agent-link.ts';
import { asObject, asText } from './image-order.ts';

const apiVersion = { 'x-openstack-ironic-api-version': '1.84' };
const agentVersion = '11.0.0';
/** An inventory that nobody takes is sent again, first after so long, at most so often. */
const inventoryRetryMs = 5_000;
const inventoryTries = 5;
/** A node that is not known, or not in a state for agents, is looked for ever more slowly. */
const lookUpRetryMs = { first: 10_000, most: 300_000 };
/** Heartbeats that were not taken, mostly because the node is locked, come again after so long at first. */
const heartbeatRetryMs = 5_000;
/** Ironic says after how many seconds it gives an agent up; the agent comes back well before. */
const heartbeatShare = 0.4;
const defaultHeartbeatSeconds = 300;
/** Ironic gives a token once; whoever comes later gets this instead. */
const maskedToken = '******';

interface Acquaintance {
  readonly uuid: string;
  readonly token: string | undefined;
  readonly heartbeatMs: number;
}

/** Speaks to Ironic as its agent does: inspection data, look-up, then heartbeats while commands come in. */
export function createIronicLink(options: { readonly url: string; readonly clock: Clock }): AgentLink {
  const { clock } = options;
  const base = options.url.replace(/\/$/, '');
  return {
    async run(agent) {
      const inspected = await postInventory(agent);
      const known = await lookUp(agent, inspected);
      if (known === undefined) return;
      const token = known.token ?? inspected?.token;
      if (token !== undefined) agent.setToken(token);
      await beat(agent, { ...known, token });
    },
  };

  async function postInventory(agent: RunningAgent): Promise<Acquaintance | undefined> {
    for (let tries = 1; !agent.signal.aborted; tries += 1) {
      const answer = await ask(`${base}/v1/continue_inspection`, {
        method: 'POST',
        headers: apiVersion,
        body: agent.inventory,
        signal: agent.signal,
      });
      // 404 is Ironic's way of saying that nobody waits for this inventory.
      agent.note('agent.inventory', `status=${answer?.status ?? 'none'}`);
      const isTaken = answer !== undefined && answer.status < 500 && answer.status !== 409;
      if (isTaken || tries === inventoryTries) return answer === undefined ? undefined : acquaintance(answer.body);
      await sleep(clock, inventoryRetryMs * tries, agent.signal);
    }
    return undefined;
  }

  async function lookUp(agent: RunningAgent, inspected: Acquaintance | undefined): Promise<Acquaintance | undefined> {
    const query = new URLSearchParams({ addresses: agent.macs.join(',') });
    if (inspected !== undefined) query.set('node_uuid', inspected.uuid);
    for (
      let pauseMs = lookUpRetryMs.first;
      !agent.signal.aborted;
      pauseMs = Math.min(lookUpRetryMs.most, 2 * pauseMs)
    ) {
      const answer = await ask(`${base}/v1/lookup?${query}`, {
        method: 'GET',
        headers: apiVersion,
        signal: agent.signal,
      });
      const known = answer?.status === 200 ? acquaintance(answer.body) : undefined;
      if (known !== undefined) return known;
      agent.note('agent.look-up', `status=${answer?.status ?? 'none'}`);
      await sleep(clock, pauseMs, agent.signal);
    }
    return undefined;
  }

  /** In time, and besides as soon as a long command is over: Ironic goes on only when it hears from the agent. */
  async function beat(agent: RunningAgent, known: Acquaintance): Promise<void> {
    let wake = new AbortController();
    const stop = agent.commands.onDone(() => wake.abort());
    let retryMs = heartbeatRetryMs;
    while (!agent.signal.aborted) {
      wake = new AbortController();
      const isTaken = await heartbeat(agent, known);
      const pauseMs = isTaken ? known.heartbeatMs : Math.min(retryMs, known.heartbeatMs);
      retryMs = isTaken ? heartbeatRetryMs : 2 * retryMs;
      await sleep(clock, pauseMs, AbortSignal.any([agent.signal, wake.signal]));
    }
    stop();
  }

  /** False where it shall come again soon. */
  async function heartbeat(agent: RunningAgent, known: Acquaintance): Promise<boolean> {
    const answer = await ask(`${base}/v1/heartbeat/${known.uuid}`, {
      method: 'POST',
      headers: apiVersion,
      body: {
        callback_url: agent.callbackUrl,
        agent_version: agentVersion,
        agent_token: known.token ?? null,
        agent_verify_ca: agent.callbackCaPem,
      },
      signal: agent.signal,
    });
    agent.note('agent.heartbeat', `status=${answer?.status ?? 'none'}`);
    return answer !== undefined && answer.status < 500 && answer.status !== 409;
  }
}

function acquaintance(body: JsonObject): Acquaintance | undefined {
  const uuid = asText(asObject(body.node).uuid);
  const config = asObject(body.config);
  if (uuid === undefined) return undefined;
  const seconds = typeof config.heartbeat_timeout === 'number' ? config.heartbeat_timeout : defaultHeartbeatSeconds;
  const token = asText(config.agent_token);
  return {
    uuid,
    token: token === maskedToken ? undefined : token,
    heartbeatMs: seconds * 1000 * heartbeatShare,
  };
}
