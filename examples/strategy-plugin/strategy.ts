// A strategy as a package: an agent on each host installs firmware, and is asked over HTTP. Only types are imported, so
// that the package needs nothing of Rackwright to be loaded.
import type { InventoryReport, StrategyFactory, StrategyTools, Work, WorkOutcome } from 'rackwright/strategies';

interface Settings {
  /** Where the agent of a server is; `{id}` stands for the id of the server. */
  readonly agentUrl: string;
}

/** What the agent says is installed: versions by component. */
type Versions = Readonly<Record<string, string>>;

/** How often an agent that installs is looked at. */
const lookMs = 2000;
/** How long an agent may take for one image: one that never gets there would have the server for ever. */
const mostMs = 2 * 3_600_000;

function readSettings(given: unknown): Settings {
  const { agentUrl } = Object(given) as Partial<Settings>;
  if (typeof agentUrl === 'string' && URL.canParse(agentUrl.replace('{id}', 'x'))) return { agentUrl };
  throw new Error('agentUrl is missing or no address: give one like http://{id}.agents.example:8080');
}

/** What a package exports for the update service to load: its name is what `enabled` says. */
export const strategy: StrategyFactory = {
  name: 'rackwright-strategy-agent',
  create(given) {
    const settings = readSettings(given);
    return {
      name: 'rackwright-strategy-agent',
      async scan(work, tools) {
        await work.report({ status: { message: 'the agent is asked what is installed' } });
        await hand(work, tools, await versionsOf(settings, work));
        return { outcome: 'succeeded' };
      },
      update: (work, tools) => update(settings, work, tools),
    };
  },
};

async function update(settings: Settings, work: Work, tools: StrategyTools): Promise<WorkOutcome> {
  const wanted = work.condition.parameters.firmwares as {
    component: string;
    version: string;
    URL: string;
    checksum: string;
  }[];
  let versions = await versionsOf(settings, work);
  for (const { component, version, URL: url, checksum } of wanted) {
    // Also after a crash: what an earlier life began is looked for before it is begun again.
    if (versions[component] === version) continue;
    // A safe point: who was cancelled stops here.
    await work.report({ status: { message: `${component} ${version} is next` } });
    // Durable before it is done. From here on a cancel has to wait.
    await work.report({
      status: { message: `${component} ${version} is installed` },
      progress: { component },
      isCancelUnsafe: true,
    });
    // Right before what disrupts: another may have the server by now.
    await work.check();
    await ask(settings, work, { method: 'POST', body: JSON.stringify({ component, version, url, checksum }) });
    const end = tools.clock.monotonic() + mostMs;
    while (versions[component] !== version) {
      if (tools.clock.monotonic() > end) throw late(component, version);
      await work.pause(lookMs);
      // Having looked is progress, which is what renews the lease; a timer alone would not be.
      versions = await versionsOf(settings, work);
      await work.report();
    }
    await work.report({ isCancelUnsafe: false });
  }
  await hand(work, tools, versions);
  return { outcome: 'succeeded', status: { message: `${wanted.length} installed`, percent: 100 } };
}

async function versionsOf(settings: Settings, work: Work): Promise<Versions> {
  return (await ask(settings, work, {})) as Versions;
}

/** An agent that does not answer is no reason to give up for good: errors with `retry: 'transient'` are tried again. */
async function ask({ agentUrl }: Settings, work: Work, request: RequestInit): Promise<unknown> {
  const url = agentUrl.replace('{id}', work.condition.target.replace('server/', ''));
  try {
    const answer = await fetch(url, { ...request, signal: work.signal });
    if (answer.ok) return await answer.json();
    throw new Error(`the agent answered ${answer.status}`);
  } catch (cause) {
    if (work.signal.aborted) throw work.signal.reason;
    throw Object.assign(new Error('the agent cannot be asked', { cause }), { code: 'agentAway', retry: 'transient' });
  }
}

/** Fails the job: what is not `transient` is not tried again. */
function late(component: string, version: string): Error {
  return Object.assign(new Error(`the agent did not install ${component} ${version} in time`), { code: 'agentLate' });
}

/** Hands on what is installed: the report of the job is made of it. */
async function hand(work: Work, tools: StrategyTools, versions: Versions): Promise<void> {
  const firmware = Object.entries(versions).map(([component, version]) => ({
    component,
    version,
    name: component,
    slot: component,
  }));
  const inventory = { vendor: 'generic', system: {}, firmware, gaps: [] } as unknown as InventoryReport['inventory'];
  const { condition, lease } = work;
  await tools.inventorySink.write({
    target: condition.target,
    inventory,
    biosSettings: undefined,
    readAt: tools.clock.now(),
    lease: { conditionId: condition.id, token: lease.token },
  });
}
