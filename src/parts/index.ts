export {
  type FirmwareComponent,
  firmwareComponents,
  isPartOfServer,
  type PartSpelling,
  partKey,
  partName,
  toComponent,
  wordsOf,
} from './component.ts';
export {
  type Hardware,
  hardwareKey,
  hardwareKeys,
  isHardwareOf,
  productCodes,
  type ServerProduct,
} from './hardware.ts';
export {
  getInstalledParts,
  getPartClass,
  type InstalledPart,
  type PartInventory,
} from './installed-part.ts';
export { applyReportedVersion, type ReportedVersion } from './reported-version.ts';
export {
  describePart,
  getProductsOf,
  isSelected,
  type KnownPart,
  type PartSelector,
  type Product,
  selectorKey,
  selectParts,
} from './select-parts.ts';
