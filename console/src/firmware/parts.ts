// The rules by which the controllers match firmware, parts and servers. Only this file of the console imports from src/.
// It names files and no index.ts: that one also leads to the types of BMCs, which need those of Node.
export { isPartOfServer, partKey, partName } from '../../../src/parts/component.ts';
export { hardwareKey, hardwareKeys, isHardwareOf } from '../../../src/parts/hardware.ts';
export { getProductsOf, isSelected, type Product, selectorKey } from '../../../src/parts/select-parts.ts';
export { readVendor } from '../../../src/versions/vendor.ts';
