export { type Action, type ActionParameter, actionIn, allowableIn, parametersIn } from './action.ts';
export {
  type Collection,
  type CollectionOptions,
  collect,
  isWhole,
  type Listed,
  listCollection,
  listPaths,
  listPathsIn,
  type Member,
  readCollection,
  readExpanded,
  readMembers,
} from './collection.ts';
export { extendedInfoIn, messageKey, messagesIn, type RedfishMessage } from './messages.ts';
export { barePath, childPath, isSamePath, lastSegment, toBmcPath } from './path.ts';
export {
  asObject,
  asText,
  booleanIn,
  firstTextIn,
  integerIn,
  isAbsent,
  isJsonObject,
  linkIn,
  linksIn,
  listIn,
  memberIn,
  numberIn,
  objectIn,
  objectsIn,
  type ResourceStatus,
  selfIn,
  statusIn,
  textIn,
  textsIn,
  timeIn,
} from './read.ts';
export { beginReading, type Gap, type Reading, type ReadingOptions } from './reading.ts';
export { bareRoot, fetchServiceRoot, parseServiceRoot, rootPath } from './service-root.ts';
export { listSystems, type System, systemOf } from './systems.ts';
export { detectVendor, type VendorTraces } from './vendor.ts';
