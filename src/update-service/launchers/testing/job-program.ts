// For tests: a job application whose strategy does what the parameters of its job say.
import { parseArgs } from 'node:util';
import { claimJob, publishAddress, runJob, runNotedCommand, type Strategy } from '../../../jobs/index.ts';

const { values } = parseArgs({
  options: {
    'job-file': { type: 'string' },
    claim: { type: 'string' },
    mounted: { type: 'boolean' },
    host: { type: 'string' },
    'task-port': { type: 'string' },
  },
});

const strategy: Strategy = {
  name: 'tested',
  async update(work, tools) {
    const { does } = work.condition.parameters;
    await work.report({ status: { percent: 10, message: `it does ${String(does)}` } });
    if (does === 'die') process.exit(7);
    if (does === 'hang') {
      await work.report({ isCancelUnsafe: true });
      // Deaf to all: it must be ended from outside.
      process.on('SIGTERM', () => {});
      await new Promise(() => setInterval(() => {}, 1000));
    }
    if (does === 'flash') {
      const { command } = work.condition.parameters;
      process.on('SIGTERM', () => {});
      await runNotedCommand({
        origin: `https://${work.condition.id}.example`,
        credentials: 'hush',
        command: command as unknown as readonly [string, ...string[]],
        onStart: () => void work.report({ isCancelUnsafe: true }),
      });
    }
    if (does === 'wait') await work.pause(3_600_000);
    return await strategy.scan(work, tools);
  },
  async scan(work, tools) {
    const inventory = { vendor: 'generic', system: {}, firmware: [], drives: [], ports: [], gaps: [] };
    await tools.inventorySink.write({
      target: work.condition.target,
      inventory: inventory as never,
      biosSettings: undefined,
      readAt: tools.clock.now(),
      lease: { conditionId: work.condition.id, token: work.lease.token },
    });
    return { outcome: 'succeeded' };
  },
};

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
const { claim } = values;
if (claim !== undefined) await claimJob(claim, process.pid);
const end = await runJob({
  jobFile: values['job-file'] ?? '',
  isMounted: values.mounted === true,
  host: values.host ?? '127.0.0.1',
  port: Number(values['task-port'] ?? 0),
  stopping: stopping.signal,
  loadStrategy: async () => strategy,
  onListening: async (url) => {
    if (claim !== undefined) await publishAddress(claim, url);
  },
});
console.log(`the job ended: ${end.outcome}`);
process.exit(end.outcome === 'succeeded' ? 0 : 8);
