export {
  type Bus,
  BusError,
  type BusErrorCode,
  type BusFaults,
  type BusHint,
  busErrors,
  connectNatsBus,
  createLocalBus,
  createUnreliableBus,
  defaultNatsSettings,
  isBusError,
  type LocalBusOptions,
  type NatsBusOptions,
  type NatsCredentials,
  type NatsSettings,
  type NatsTls,
  type UnreliableBus,
} from './bus/index.ts';
export type { Claim, ClaimOrder, Claims, DueTurn, HeldBack, Turn } from './claims/claim.ts';
export {
  type Condition,
  type ConditionReason,
  type ConditionState,
  conditionStates,
  isFinal,
  type JsonObject,
  type JsonValue,
  readCancelOutcome,
} from './condition.ts';
export type { TargetNote } from './conditions/note.ts';
export { openedJson, sealedJson, type UrlSealer } from './conditions/sealed-urls.ts';
export { createEngine, type EngineOptions } from './create-engine.ts';
export type {
  ConditionChange,
  ConditionOrder,
  ConditionPage,
  ConditionQuery,
  ControllerRecord,
  CreateOrder,
  CreateOutcome,
  Engine,
  EngineEvent,
  EngineLimits,
  Machines,
  SweepReport,
  WaitReason,
} from './engine.ts';
export { EngineError, type EngineErrorCode, engineErrors, isEngineError, type RetryClass } from './errors.ts';
export {
  type ExternalHold,
  type ExternalOrder,
  type ExternalWorkDesk,
  type ExternalWorkOptions,
  openExternalWork,
} from './external-work/external-work.ts';
export { externalWork } from './external-work/external-work-kind.ts';
export type { KindDefinition, Sharing } from './kinds.ts';
export { type LeaseHolder, leaseHolderId } from './leases/hand-over.ts';
export type { JoinedReport } from './leases/report.ts';
export { requireLease } from './leases/require-lease.ts';
export type { Alias, AliasConflict, MachineRecord, OutdatedMachine } from './machine.ts';
export { lockKeyOf, machineIdOf, readableTarget, targetOf } from './machines/machine-row.ts';
export { rereadClient } from './rereads/rereads.ts';
export { defaultLimits, defaultSettings, type EngineSettings } from './settings.ts';
export {
  createFaultInjector,
  type Database,
  type DatabaseFaults,
  type FaultInjector,
  type FaultPlan,
  type MigrateOptions,
  type Migration,
  type MigrationReport,
  migrate,
  openPostgresDatabase,
  openSqliteDatabase,
  type PostgresDatabase,
  type PostgresOptions,
  type RetryNotice,
  type Row,
  readStoreId,
  type SqliteDatabase,
  type SqliteOptions,
  type SqlValue,
  StoreError,
  type StoreErrorCode,
  storeErrors,
  type Transaction,
  UniqueViolation,
} from './store/index.ts';
export { type SweepingOptions, startSweeping } from './sweep/sweep.ts';
export { createTurns, type InTurn } from './turns.ts';
export { createLeisure, type Leisure, type LeisureOptions } from './worker/leisure.ts';
export type { StepReport, Work, WorkHandler, WorkOutcome } from './worker/work.ts';
export { createWorker, type Worker, type WorkerOptions } from './worker/worker.ts';
export type {
  CheckOptions,
  Lease,
  PreviousHolder,
  ReleaseOptions,
  ReportOutcome,
  WorkerIdentity,
  WorkerPort,
  WorkReport,
} from './worker/worker-port.ts';
