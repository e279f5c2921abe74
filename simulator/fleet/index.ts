export type { PlannedCable, PlannedSwitch } from './cabling.ts';
export { FleetError, type FleetErrorCode } from './errors.ts';
export { countRacks, type FleetOrder, type FleetPlan, type PlannedServer, planFleet } from './plan-fleet.ts';
