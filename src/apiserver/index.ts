export { type Converter, type ConverterFactory, renameOnly } from './crd/conversion.ts';
export type { Crd } from './crd/crd-object.ts';
export { type ApiServer, type ApiServerOptions, startApiServer } from './start.ts';
