import { ejectMedia, insertMedium } from '../../bmc/index.ts';
import { createEgress } from '../../egress/index.ts';
import type { WorkHandler } from '../../engine/index.ts';
import { holdBmc } from '../held-bmc.ts';
import { readVirtualMedia } from './control-schemas.ts';
import type { HandlerContext } from './ports.ts';
import { createStepStatus } from './step-status.ts';

/** Makes the handler that puts an image into a virtual drive, or takes it out. Done twice it does no more. */
export function createMediaHandler(context: HandlerContext): WorkHandler {
  const egress = context.egress ?? createEgress();
  return async (work) => {
    const held = await holdBmc(work, context);
    const status = createStepStatus(work.condition.status, context.clock);
    const { image, type } = readVirtualMedia(work.condition.parameters);
    if (image === undefined) {
      await ejectMedia(held.bmc);
      status.say('all virtual drives are empty');
      return { outcome: 'succeeded', status: status.with() };
    }
    const why = await egress.check(new URL(image));
    if (why !== undefined) {
      const message = `the image may not be fetched: ${why}`;
      return { outcome: 'failed', reason: { code: 'sourceRefused', message }, status: status.with() };
    }
    status.say('the image is put into a virtual drive');
    await held.report({ status: status.with() });
    const medium = { ...splitLogin(image), kind: type === 'iso' ? 'cd' : 'usb' } as const;
    const { drive, isVerified, doubt } = await insertMedium(held.bmc, medium);
    status.say(doubt === undefined ? `the image is in ${drive.id}` : `the image is in ${drive.id}, in doubt: ${doubt}`);
    return { outcome: 'succeeded', status: status.with({ drive: drive.id, is_verified: isVerified }) };
  };
}

/** BMCs show the address of what is in a drive to everybody: credentials go beside it. */
function splitLogin(address: string): {
  readonly image: string;
  readonly username?: string;
  readonly password?: string;
} {
  const url = new URL(address);
  if (url.username === '') return { image: address };
  const login = { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  url.username = '';
  url.password = '';
  return { image: url.href, ...login };
}
