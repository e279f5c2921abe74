export { SnapshotError, type SnapshotErrorCode } from './errors.ts';
export { differenceOf, fleetIdentity } from './fleet-identity.ts';
export { type KeepStateOptions, keepState, type StateKeeper } from './keep-state.ts';
export { restorePorts } from './restore-ports.ts';
export { type FleetIdentity, type Snapshot, snapshotFormat } from './snapshot.ts';
export { readSnapshot } from './snapshot-file.ts';
export { takeSnapshot } from './take-snapshot.ts';
