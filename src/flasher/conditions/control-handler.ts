import { type BootOverride, readPower, resetManager, setBootOverride } from '../../bmc/index.ts';
import type { WorkHandler, WorkOutcome } from '../../engine/index.ts';
import { holdBmc } from '../held-bmc.ts';
import { awaitUpdate } from './await-update.ts';
import { bootDevices, readServerControl } from './control-schemas.ts';
import type { HandlerContext } from './ports.ts';
import { restartOnce } from './power-handler.ts';
import { createStepStatus } from './step-status.ts';

/** Makes the handler of what shipped as one kind: power is told, boot devices are chosen, the BMC is restarted. */
export function createControlHandler(context: HandlerContext): WorkHandler {
  return async (work) => {
    const held = await holdBmc(work, context);
    const { bmc } = held;
    const { signal } = work;
    const status = createStepStatus(work.condition.status, context.clock);
    const { action, device, isPersistent, isUefi } = readServerControl(work.condition.parameters);
    const done = (message: string, more = {}): WorkOutcome => {
      status.say(message);
      return { outcome: 'succeeded', status: status.with(more) };
    };
    switch (action) {
      case 'get_power_state': {
        const { state } = await readPower(bmc);
        return done(`the host is ${state}`, { power_state: state });
      }
      case 'power_cycle_bmc': {
        const writing = await awaitUpdate({ work, held, status, context });
        if (writing !== undefined) return writing;
        status.say('the BMC is restarted');
        await held.report({ status: status.with() });
        await resetManager(bmc, { signal });
        return done('the BMC was restarted');
      }
      case 'set_next_boot_device': {
        const target = bootDevices[device] ?? 'None';
        const enabled = target === 'None' ? 'Disabled' : isPersistent ? 'Continuous' : 'Once';
        const wish: BootOverride = {
          enabled,
          ...(target === 'None' ? {} : { target }),
          ...(isUefi ? { mode: 'UEFI' } : {}),
        };
        const { isVerified } = await setBootOverride(bmc, wish);
        return done(target === 'None' ? 'the boot device is as configured' : `${device} is the next boot device`, {
          is_verified: isVerified,
        });
      }
      case 'pxe_boot_persistent': {
        const restart = await restartOnce({ work, held, status, context }, async () => {
          await setBootOverride(bmc, { enabled: 'Continuous', target: 'Pxe' });
          status.say('the host boots from the network from now on, and is restarted');
        });
        if ('outcome' in restart) return restart;
        return done(restart.hasRestarted ? 'the host was restarted' : 'the host had been restarted before');
      }
    }
  };
}
