import type { StepReport, Work } from '../../engine/index.ts';
import type { JobImplementation, ServerJobTools } from '../implementations.ts';
import { runDiscovery } from './run-discovery.ts';

/** What does the jobs of servers that nobody has anything special for. */
export const builtInImplementations: readonly JobImplementation[] = [
  { type: 'update', run: runUpdate },
  { type: 'scan', run: async (work, { strategy, tools }) => (await strategy()).scan(work, tools) },
  { type: 'discovery', run: runDiscovery },
];

/** Updates, and reads what is installed then unless the strategy has done that: the report needs it. */
async function runUpdate(work: Work, { strategy, tools, harvest }: ServerJobTools) {
  const chosen = await strategy();
  const outcome = await chosen.update(work, tools);
  if (outcome.outcome !== 'succeeded' || harvest.installed !== undefined) return outcome;
  const seen = await chosen.scan(quietly(work), tools);
  return seen.outcome === 'succeeded' ? outcome : seen;
}

/** The same work, but what is said under way does not take the place of what the update said. */
function quietly(work: Work): Work {
  return {
    condition: work.condition,
    lease: work.lease,
    isFirstLease: work.isFirstLease,
    previous: work.previous,
    leftovers: work.leftovers,
    signal: work.signal,
    ending: work.ending,
    get cancel() {
      return work.cancel;
    },
    report: ({ status: _status, progress: _progress, ...rest }: StepReport = {}) => work.report(rest),
    check: (options) => work.check(options),
    confirm: () => work.confirm(),
    pause: (ms, signal) => work.pause(ms, signal),
    now: () => work.now(),
    acquireSlot: (name) => work.acquireSlot(name),
  };
}
