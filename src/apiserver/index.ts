export { type Converter, type ConverterFactory, type ConvertObject, renameOnly } from './crd/conversion.ts';
export { inProcessConverter } from './crd/conversion-in-process.ts';
export type { Crd } from './crd/crd-object.ts';
export { type GivenLimits, type OverloadLimits, usualLimits, withUsualLimits } from './overload/limits.ts';
export { type ApiServer, type ApiServerOptions, startApiServer } from './start.ts';
export { backupDatabase, databaseName, restoreDatabase } from './store/backup.ts';
export { type DataDirectoryLock, lockDataDirectory } from './store/data-dir-lock.ts';
export { StoreError, type StoreErrorCode } from './store/errors.ts';
export type { ServiceResolver } from './webhook/webhook-client.ts';
