import { Agent, type Dispatcher } from 'undici';
import { type Clock, sleep, systemClock } from '../../src/kube/index.ts';
import type { JsonObject } from '../redfish/route.ts';
import { CommandRefused } from './agent-commands.ts';
import { type AgentLink, ask, type LinkAnswer, type RunningAgent } from './agent-link.ts';

const retryMs = 30_000;
const pollMs = 1_000;
/** While a command goes on, in real time: that is the one that the other side goes by. */
const progressMs = 20_000;
/** Commands that end the agent, and are told as done before they are. */
const lastCommands: readonly string[] = ['standby.reboot', 'standby.run_image', 'standby.power_off'];
const keptResults = 8;
const defaultWaitSeconds = 30;
const defaultTokenSeconds = 24 * 3600;

/** What a machine goes by. */
interface Acquaintance {
  readonly id: string;
  readonly token: string;
  readonly waitSeconds: number;
  /** By the real clock. */
  readonly renewAtMs: number;
}

/** How a question ended that nothing more is to be asked after. */
type Ending = 'introduce again' | 'be quiet';

/**
 * Speaks to Rackwright's endpoint for agents. `POST {url}` with the inventory, and with what proves an earlier
 * acquaintance, introduces the host and is answered with `{id, token}`; then `GET {url}/{id}/command` is asked for work
 * (204: none; 200: `{id, name, params}`) and `PUT {url}/{id}/command/{command}` tells how it goes. A token that is half
 * through its life is renewed; one that is refused means to begin anew.
 */
export function createRackwrightLink(options: {
  readonly url: string;
  readonly token: string;
  readonly clock: Clock;
  readonly caPem?: string;
}): AgentLink {
  const dispatcher =
    options.caPem === undefined ? undefined : new Agent({ connect: { ca: options.caPem }, connections: null });
  const base = options.url.replace(/\/$/, '');
  const { clock } = options;
  return {
    async run(agent) {
      while (!agent.signal.aborted) {
        const known = await introduce(agent);
        if (known === undefined) return;
        if ((await serve(agent, known)) === 'be quiet') return;
      }
    },
  };

  async function introduce(agent: RunningAgent): Promise<Acquaintance | undefined> {
    while (!agent.signal.aborted) {
      const earlier = agent.memory.known;
      const answer = await ask(base, {
        method: 'POST',
        headers: { authorization: `Bearer ${options.token}` },
        body: { ...agent.inventory, ...(earlier === undefined ? {} : { earlier: { ...earlier } }) },
        signal: agent.signal,
        dispatcher,
      });
      agent.note('agent.inventory', `status=${answer?.status ?? 'none'}`);
      const known = remember(agent, answer);
      if (known !== undefined) return known;
      await sleep(clock, answer?.retryAfterMs ?? retryMs, agent.signal);
    }
    return undefined;
  }

  async function serve(agent: RunningAgent, first: Acquaintance): Promise<Ending> {
    const results = new Map<string, JsonObject>();
    let known = first;
    while (!agent.signal.aborted) {
      if (systemClock.now() >= known.renewAtMs) known = (await renew(agent, known)) ?? known;
      const url = `${base}/${known.id}/command`;
      const headers = { authorization: `Bearer ${known.token}` };
      const question = `${url}?wait=${known.waitSeconds}`;
      const answer = await ask(question, { method: 'GET', headers, signal: agent.signal, dispatcher });
      if (answer?.status === 200) await obey(agent, { url, headers, order: answer.body, clock, results, dispatcher });
      else if (answer?.status === 401) return 'introduce again';
      else if (answer?.status === 410) return 'be quiet';
      else await sleep(clock, answer?.status === 204 ? pollMs : (answer?.retryAfterMs ?? retryMs), agent.signal);
    }
    return 'be quiet';
  }

  async function renew(agent: RunningAgent, { id, token }: Acquaintance): Promise<Acquaintance | undefined> {
    const headers = { authorization: `Bearer ${token}` };
    return remember(
      agent,
      await ask(`${base}/${id}/token`, { method: 'POST', headers, signal: agent.signal, dispatcher }),
    );
  }
}

function remember(agent: RunningAgent, answer: LinkAnswer | undefined): Acquaintance | undefined {
  const { id, token, wait_seconds: wait, token_seconds: life } = answer?.body ?? {};
  if (typeof id !== 'string' || typeof token !== 'string') return undefined;
  agent.memory.known = { id, token };
  const lifeSeconds = typeof life === 'number' ? life : defaultTokenSeconds;
  const waitSeconds = typeof wait === 'number' ? wait : defaultWaitSeconds;
  return { id, token, waitSeconds, renewAtMs: systemClock.now() + (lifeSeconds * 1000) / 2 };
}

interface Order {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly order: JsonObject;
  readonly clock: Clock;
  /** What came of the last commands: one that is told again was done already. */
  readonly results: Map<string, JsonObject>;
  readonly dispatcher: Dispatcher | undefined;
}

async function obey(agent: RunningAgent, work: Order): Promise<void> {
  const id = typeof work.order.id === 'string' ? work.order.id : '';
  const known = work.results.get(id);
  if (known !== undefined) return tell(agent, work, known);
  if (lastCommands.includes(String(work.order.name))) {
    const succeeded = { status: 'SUCCEEDED', result: {}, error: null };
    work.results.set(id, succeeded);
    await tell(agent, work, succeeded);
    await carryOut(agent, work.order);
    return;
  }
  const over = new AbortController();
  const telling = tellProgress(agent, work, over.signal);
  const result = await carryOut(agent, work.order);
  over.abort();
  await telling;
  work.results.set(id, result);
  const [oldest] = work.results.keys();
  if (work.results.size > keptResults && oldest !== undefined) work.results.delete(oldest);
  await tell(agent, work, result);
}

async function tellProgress(agent: RunningAgent, work: Order, over: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([over, agent.signal]);
  for (;;) {
    await sleep(systemClock, progressMs, signal);
    if (signal.aborted) return;
    await report(agent, work, { status: 'RUNNING' });
  }
}

/** Until it was heard: a result that is lost would be waited for. */
async function tell(agent: RunningAgent, work: Order, result: JsonObject): Promise<void> {
  while (!agent.signal.aborted) {
    const answer = await report(agent, work, result);
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) return;
    await sleep(work.clock, answer?.retryAfterMs ?? retryMs, agent.signal);
  }
}

function report(
  agent: RunningAgent,
  { url, headers, order, dispatcher }: Order,
  body: JsonObject,
): Promise<LinkAnswer | undefined> {
  const id = typeof order.id === 'string' ? order.id : '';
  return ask(`${url}/${encodeURIComponent(id)}`, { method: 'PUT', headers, body, signal: agent.signal, dispatcher });
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
