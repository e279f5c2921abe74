export { createEngineDesk } from './engine-desk.ts';
export type { HostRecord, HostRecords, RecordKey } from './host-record.ts';
export type {
  DeskAnswer,
  DeskLook,
  DeskOrder,
  FirmwareDesk,
  ImageCatalogue,
  ImageLinks,
  ImageServer,
  LinkAnswer,
  LinkedImage,
  WantedImage,
} from './ports.ts';
export { readMarks } from './reading/read-marks.ts';
export { createRedfishProvisioners, type RedfishOptions } from './redfish-provisioners.ts';
export { openHostRecords } from './sql-records.ts';
export { createReach } from './workplace.ts';
