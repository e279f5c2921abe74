export { bmcContract } from './bmc-contract.ts';
export {
  type ContractTarget,
  lackedBy,
  type RunningTarget,
  type TargetCapabilities,
  type TargetHardware,
} from './target.ts';
