export { componentIn } from './component-words.ts';
export type { CatalogQuery, FirmwareEntry } from './entry.ts';
export { CatalogError, type CatalogErrorCode, catalogErrors, isCatalogError } from './errors.ts';
export { PlainCatalogSchema, type PlainEntry, PlainEntrySchema } from './formats/plain-schema.ts';
export { type CatalogLimits, defaultCatalogLimits } from './limits.ts';
export { lineOf } from './newest-entries.ts';
export {
  type CatalogContents,
  type CatalogReader,
  type CatalogReaderOptions,
  createCatalogReader,
  readCatalog,
} from './read-catalog.ts';
export { type CatalogFormat, type CatalogSource, catalogFormats, catalogLogins, checkSource } from './source.ts';
