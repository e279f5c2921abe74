export { type BmcProbeOptions, createBmcProbe } from './enrolment/bmc-probe.ts';
export type { BmcLogin, BmcProbe, FleetPlane, MachineIdentity } from './enrolment/ports.ts';
export { isOrcError, OrcError, type OrcErrorCode, orcErrors } from './errors.ts';
export { type InstalledFirmware, readInstalled } from './inventory/installed-firmware.ts';
export { draftInventory, firmwareNamespace, inventoryNamespace } from './inventory/inventory-draft.ts';
export { type EventFollower, followEvents } from './loop/follow-events.ts';
export { type Notice, type NoticeType, noticeTypes } from './loop/notice.ts';
export { type OrcLoop, type OrcLoopOptions, runConditionOrc } from './loop/run-condition-orc.ts';
export type { WebhookOptions } from './loop/webhook.ts';
export { showImage } from './orders/show-image.ts';
export { createConditionView } from './ports/condition-view.ts';
export type { CatalogueFirmware, ConditionEnd, Enrolment, InventoryPort } from './ports/inventory.ts';
export { createInventoryPort, type InventoryService } from './ports/serverservice-inventory.ts';
export { type ConditionRecord, showCondition } from './records/condition-record.ts';
export {
  type ServerConditions,
  showServerConditions,
  unitStateOf,
  updateServiceClients,
} from './records/server-record.ts';
export {
  conditionOrcInfo,
  conditionOrcRoutes,
  describeConditionOrc,
  joinRoutes,
  type OrcRouteOptions,
  registerConditionOrc,
} from './routes/orc-routes.ts';
export type { Delivery, NoticeBook, StoredNotice } from './store/notice-book.ts';
export { type OrcStore, openOrcStore } from './store/orc-store.ts';
export { orcMigrations, orcSchema } from './store/schema.ts';
export { firmwareValidation } from './validation/firmware-validation.ts';
export { InventoryBody, readInventoryReport } from './worker-api/inventory-body.ts';
export {
  createRemoteWorkerPort,
  type RemoteWorkerPort,
  type RemoteWorkerPortOptions,
} from './worker-api/remote-worker-port.ts';
export { createSlotDesk, type SlotDesk } from './worker-api/slot-desk.ts';
export { type TokenSource, tokenFromFile } from './worker-api/worker-client.ts';
