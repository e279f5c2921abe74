export { type PollOptions, poll } from './poll.ts';
export {
  type Power,
  type PowerAndHealth,
  type PowerState,
  powerIn,
  readPower,
  readPowerAndHealth,
  type SystemHealth,
} from './power-state.ts';
export { type ManagerReset, type ManagerResetWish, resetManager, waitForReturn } from './reset-manager.ts';
export { type PowerChange, type PowerWish, setPower } from './set-power.ts';
export { shortSignMs } from './switching.ts';
export { defaultPostTimes, type PostOutcome, type PostTimes, type PostWait, waitForPost } from './wait-for-post.ts';
