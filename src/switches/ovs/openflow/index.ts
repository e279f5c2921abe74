export { type AclOfFlows, aclOfFlows, flowsOfAcl, masksOfSpan } from './acl-flows.ts';
export {
  decodeFlows,
  encodeAddFlow,
  encodeDeleteOwnFlows,
  encodeOwnFlowsRequest,
  type Flow,
  ownCookie,
  ownCookieMask,
  type SeenFlow,
} from './flow.ts';
export { decodeFlowChanges, encodeFlowMonitor, type FlowChanges, flowMonitorType } from './flow-monitor.ts';
export { type FieldMatch, fieldValue, type Match, type MatchField } from './match.ts';
export { type OpenflowSession, startOpenflowSession } from './openflow-session.ts';
export { decodePorts, encodePortMod, type OpenflowPort } from './ports.ts';
export { messageType } from './wire.ts';
