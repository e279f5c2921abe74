import assert from 'node:assert/strict';
import { readProcessMark } from '../../../jobs/index.ts';
import { tryLauncher } from '../contract/launcher-contract.ts';
import type { Launcher } from '../launcher.ts';
import { startProcessRig } from '../testing/process-rig.ts';

tryLauncher('process', async (context) => {
  const { launcher, open, order, launch, until } = await startProcessRig(context);
  const handles = new Map<string, Awaited<ReturnType<typeof launch>>>();
  let count = 0;
  const watched = (by: Launcher): Launcher => ({
    name: by.name,
    scope: () => by.scope(),
    look: (handle) => by.look(handle),
    interrupt: (handle, how) => by.interrupt(handle, how),
    close: () => by.close(),
    async launch(wanted) {
      const handle = await launch(by, wanted);
      handles.set(wanted.jobId, handle);
      return { handle };
    },
  });
  const alive = async (): Promise<number> => {
    const pids = new Set([...handles.values()].map(({ pid }) => Number(pid)));
    const marks = await Promise.all([...pids].map((pid) => readProcessMark(pid)));
    return marks.filter((mark) => mark !== undefined).length;
  };
  return {
    launcher: watched(launcher),
    async order() {
      count += 1;
      return order('wait', `job-${count}`).order;
    },
    count: alive,
    async crash({ jobId }) {
      const handle = handles.get(jobId);
      assert.ok(handle);
      process.kill(-Number(handle.pid), 'SIGKILL');
    },
    again: async () => watched(open()),
    until: (isSo) => until(isSo),
  };
});
