import { type Clock, sleep } from '../../src/kube/index.ts';
import type { JsonObject } from '../redfish/route.ts';
import { CommandRefused } from './agent-commands.ts';
import { type AgentLink, ask, type RunningAgent } from './agent-link.ts';

const retryMs = 30_000;
const pollMs = 5_000;

/**
 * Speaks to Rackwright's endpoint for agents. `POST {url}` with the inventory introduces the host and is answered with
 * `{id, token}`; then `GET {url}/{id}/command` is asked for work (204: none; 200: `{id, name, params}`) and
 * `PUT {url}/{id}/command/{command}` tells how it went.
 */
export function createRackwrightLink(options: {
  readonly url: string;
  readonly token: string;
  readonly clock: Clock;
}): AgentLink {
  const base = options.url.replace(/\/$/, '');
  return {
    async run(agent) {
      const known = await introduce(agent);
      if (known === undefined) return;
      const headers = { authorization: `Bearer ${known.token}` };
      while (!agent.signal.aborted) {
        const url = `${base}/${known.id}/command`;
        const answer = await ask(url, { method: 'GET', headers, signal: agent.signal });
        if (answer?.status === 200) await obey(agent, { url, headers, order: answer.body });
        else await sleep(options.clock, answer?.status === 204 ? pollMs : retryMs, agent.signal);
      }
    },
  };

  async function introduce(agent: RunningAgent): Promise<{ id: string; token: string } | undefined> {
    while (!agent.signal.aborted) {
      const answer = await ask(base, {
        method: 'POST',
        headers: { authorization: `Bearer ${options.token}` },
        body: agent.inventory,
        signal: agent.signal,
      });
      agent.note('agent.inventory', `status=${answer?.status ?? 'none'}`);
      const { id, token } = answer?.body ?? {};
      if (typeof id === 'string' && typeof token === 'string') return { id, token };
      await sleep(options.clock, retryMs, agent.signal);
    }
    return undefined;
  }
}

async function obey(
  agent: RunningAgent,
  work: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly order: JsonObject },
): Promise<void> {
  const { url, headers, order } = work;
  const result = await carryOut(agent, order);
  const id = typeof order.id === 'string' ? order.id : '';
  await ask(`${url}/${encodeURIComponent(id)}`, { method: 'PUT', headers, body: result, signal: agent.signal });
}

async function carryOut(agent: RunningAgent, order: JsonObject): Promise<JsonObject> {
  try {
    const { command, done } = agent.commands.start(String(order.name), (order.params as JsonObject | undefined) ?? {});
    await done;
    return { status: command.command_status, result: command.command_result, error: command.command_error };
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    return { status: 'FAILED', error: { message: error.message } };
  }
}
