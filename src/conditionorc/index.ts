export { isOrcError, OrcError, type OrcErrorCode, orcErrors } from './errors.ts';
export type { CatalogueFirmware, ConditionEnd, Enrolment, InventoryPort } from './ports/inventory.ts';
export { type ConditionRecord, showCondition } from './records/condition-record.ts';
export { type ServerConditions, showServerConditions, unitStateOf } from './records/server-record.ts';
export { conditionOrcRoutes, joinRoutes, type OrcRouteOptions } from './routes/orc-routes.ts';
export { createValidationHandler, firmwareValidation } from './validation/firmware-validation.ts';
export {
  createRemoteWorkerPort,
  type RemoteWorkerPort,
  type RemoteWorkerPortOptions,
} from './worker-api/remote-worker-port.ts';
export { type TokenSource, tokenFromFile } from './worker-api/worker-client.ts';
