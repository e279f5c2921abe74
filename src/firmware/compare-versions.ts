import { compareVersions as compareByVendor } from '../versions/index.ts';
import type { CompareVersions } from './ports.ts';

/** Compares by the scheme of the vendor; versions without an order are at least the same or different. */
export const compareVersions: CompareVersions = ({ manufacturer, component, wanted, installed }) => {
  const order = compareByVendor({ vendor: manufacturer, component, version: wanted, than: installed });
  return order === 'unknown' ? 'different' : order;
};
