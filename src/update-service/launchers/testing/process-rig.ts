import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../kube/index.ts';
import { silentLogger } from '../../../telemetry/index.ts';
import type { Launcher } from '../launcher.ts';
import { createProcessLauncher, type ProcessLauncherOptions } from '../process/process-launcher.ts';
import { startLaunchRig } from './launch-rig.ts';

/** For tests: the job application that processes run. */
export const jobProgram = join(import.meta.dirname, 'job-program.ts');
/** For tests: the password of the BMC, which must be seen nowhere. */
export const bmcPassword = 'the-password-of-the-bmc';

/** For tests: a launcher of processes, which all end with the test. */
export async function startProcessRig(context: TestContext, more: Partial<ProcessLauncherOptions> = {}) {
  const rig = await startLaunchRig(context);
  const folder = await mkdtemp(join(tmpdir(), 'launcher-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const pids = new Set<number>();
  const open = (): Launcher =>
    createProcessLauncher({
      folder,
      command: [process.execPath, '--disable-warning=ExperimentalWarning', jobProgram],
      environment: { PATH: process.env.PATH ?? '' },
      updateService: rig.updateService,
      bmcOf: async () => ({
        target: 'server/1',
        origin: 'http://127.0.0.1:1',
        username: 'root',
        password: bmcPassword,
        trust: { kind: 'system', allowsHttp: true },
      }),
      clock: systemClock,
      logger: silentLogger,
      killAfterMs: 50,
      ...more,
    });
  const launcher = open();
  context.after(() => {
    for (const pid of pids) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It is gone, as it should be.
      }
    }
  });
  const launch = async (by: Launcher, order: Parameters<Launcher['launch']>[0]) => {
    const { handle } = await by.launch(order);
    pids.add(Number(handle.pid));
    return handle;
  };
  return { ...rig, folder, launcher, open, launch };
}
