export { type AdmissionView, createFirmwareAdmission, type FirmwareAdmission } from './admission/firmware-rules.ts';
export { compareVersions } from './compare-versions.ts';
export {
  type Discover,
  type DiscoveryDecision,
  type DiscoverySeen,
  decideDiscovery,
} from './discovery/decide-discovery.ts';
export { createFleet, type Fleet, type FleetTables, type Inertness } from './fleet/fleet.ts';
export { createFleetInformers, type FleetInformers } from './fleet/informers.ts';
export { type LoadedFleet, loadFleet } from './fleet/load-fleet.ts';
export {
  bmcIndexers,
  discoveredIndexers,
  firmwareIndexers,
  type OwnedFirmware,
  type OwnedServer,
  serverIndexers,
  withOwnership,
} from './fleet/objects.ts';
export type { Ownership } from './fleet/ownership.ts';
export { compileSelector, type Overlap, overlapOf, type Selector } from './fleet/selector.ts';
export { createTable, type ObjectTable } from './fleet/table.ts';
export { decideGroup, type GroupDecision, type GroupEffect, type GroupSeen } from './group/decide-group.ts';
export {
  type ApplyEntries,
  decideMember,
  describeMembership,
  type MemberDecision,
  type MemberSeen,
  type Membership,
  membershipOf,
} from './group/decide-member.ts';
export { readMemberSeen } from './group/member-controller.ts';
export { createStandings, type MemberStanding } from './group/member-standing.ts';
export { type BmcEffect, type BmcSeen, decideBmc } from './onboarding/decide-bmc.ts';
export { decideOnboarding, type OnboardingEffect, type OnboardingSeen } from './onboarding/decide-onboarding.ts';
export { createServerserviceMirror, type MirrorOptions } from './onboarding/mirror-to-serverservice.ts';
export { type BmcReaderOptions, createBmcReader, createPowerReader } from './onboarding/read-bmc.ts';
export { type Assumption, assume, isGroupRefused } from './plan/assume.ts';
export { type ExplainOrder, explainServer } from './plan/explain-server.ts';
export type { Advice, ServerExplanation, ToldEvent, ToldRequest, WantedFirmware } from './plan/explanation.ts';
export { findServer, nearNames, type ServerFinding } from './plan/find-server.ts';
export {
  type AssumedObject,
  type FirmwarePlan,
  type GroupPlan,
  type PlannedFirmware,
  type PlannedInstall,
  type PlannedWrite,
  type PlanReason,
  type PlanState,
  type PlanTotals,
  planStates,
  type ServerPlan,
  type WaitingFirmware,
  type WantedBy,
} from './plan/plan.ts';
export { type PlanOrder, type PlanSubject, planFirmware, subjectsOf } from './plan/plan-firmware.ts';
export { type ReadSelector, readSelector } from './plan/read-selector.ts';
export { describeFirmware, describeRestarts, describeWantedBy } from './plan/sentences.ts';
export { factsOf, type PlanFacts } from './plan/settle-fleet.ts';
export type {
  BmcReading,
  BmcTarget,
  CompareVersions,
  DiscoverRequest,
  InventoryMirror,
  MirroredServer,
  MirrorOutcome,
  ReadBmc,
  RequestOutcome,
  ScanRequest,
  ServerTarget,
  SystemReading,
  ToldServer,
  UpdateRequest,
  UpdateServicePort,
  VersionQuestion,
  VersionRelation,
  WithdrawOutcome,
} from './ports.ts';
export {
  type DiscoveryReport,
  mergeDiscoveryReport,
  mergeServerReport,
  type ReportedFailure,
  type ServerReport,
  type WaitReport,
} from './reports/merge-report.ts';
export {
  createFirmwareReports,
  type FirmwareReports,
  type ReportOutcome,
  type ReportsOptions,
} from './reports/report-writer.ts';
export { fieldManagers, resources } from './resources.ts';
export { decideServer, type ServerDecision, type ServerEffect } from './server/decide-server.ts';
export { desiredHash, desiredOf } from './server/desired.ts';
export { type Difference, differencesOf } from './server/differences.ts';
export { readServerSeen, type ServerReading } from './server/read-server.ts';
export type { ServerSeen } from './server/server-facts.ts';
export { defaultFirmwareSettings, type FirmwareSettings } from './settings.ts';
export { type FirmwareControllers, type FirmwareControllersOptions, startFirmwareControllers } from './start.ts';
