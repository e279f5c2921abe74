export { bmcContract } from './bmc-contract.ts';
export type { ContractTarget, RunningTarget, TargetCapabilities, TargetHardware } from './target.ts';
