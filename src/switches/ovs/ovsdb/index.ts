export { type BridgeView, isRow, type OvsInterface, type OvsPort, readBridge } from './bridge-view.ts';
export { createJsonFrames } from './json-frames.ts';
export {
  type OperationResult,
  type OvsdbOperation,
  type OvsdbSession,
  type SessionOptions,
  startOvsdbSession,
} from './ovsdb-session.ts';
export { columnsOfSettings, vlansOfColumns } from './port-columns.ts';
export { numberOf, type OvsdbRow, optionalOf, setOf, textOf, uuidOf } from './values.ts';
