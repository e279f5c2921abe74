export { accessFreeDriver, hasAccess, isPowerPlayed } from './access.ts';
export { type IronicNode, memberOf, nodeName, nodeQuery, readNode } from './ironic-node.ts';
export { farewells, handover, isHandedOver, isHeldByUs, isLeftOver, ourReason } from './maintenance.ts';
export { changesOf, type PatchStep, type Wanted } from './patch.ts';
export {
  heldStates,
  inUseStates,
  isAbortable,
  isInUse,
  isProvisionState,
  isUnderWay,
  type ProvisionState,
  type ProvisionTarget,
  provisionStates,
  restingStates,
  waitingStates,
  workingStates,
} from './provision-states.ts';
export { isOwnNode, objectionToNode, whyClaimed } from './whose-node.ts';
