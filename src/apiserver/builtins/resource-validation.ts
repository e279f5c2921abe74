import {
  type FieldError,
  forbiddenError,
  invalidError,
  qualifiedNameFaults,
  requiredError,
} from '../../schema/index.ts';
import type { ResourceAmounts } from './pod-object.ts';
import { compareQuantities, parseQuantity } from './quantity.ts';

const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** What is wrong with what a container asks for and is limited to. */
export function resourceFaults(
  resources: { limits?: ResourceAmounts; requests?: ResourceAmounts },
  path: string,
): FieldError[] {
  const { limits = {}, requests = {} } = resources;
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(limits))
    errors.push(...amountFaults(name, amount, `${path}.limits[${name}]`));
  for (const [name, amount] of Object.entries(requests)) {
    errors.push(...amountFaults(name, amount, `${path}.requests[${name}]`));
    errors.push(...requestFaults(name, amount, limits, path));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(forbiddenError(path, 'HugePages require cpu or memory'));
  }
  return errors;
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Devices and huge pages are given whole: what is asked for is also the limit. */
function isOvercommitAllowed(name: string): boolean {
  return standard.has(name);
}

function requestFaults(name: string, amount: string, limits: ResourceAmounts, path: string): FieldError[] {
  const limit = limits[name];
  if (limit === undefined) {
    const words = 'Limit must be set for non overcommitable resources';
    return isOvercommitAllowed(name) ? [] : [requiredError(`${path}.limits`, words)];
  }
  const order = compareQuantities(amount, limit);
  if (order !== 0 && !isOvercommitAllowed(name))
    return [invalidError(`${path}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  if (order <= 0) return [];
  return [invalidError(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)];
}

function amountFaults(name: string, amount: string, path: string): FieldError[] {
  const errors = qualifiedNameFaults(name).map((fault) => invalidError(path, name, fault));
  if (!name.includes('/') && !standard.has(name) && !isHugePages(name)) {
    errors.push(invalidError(path, name, 'must be a standard resource type or fully qualified'));
    errors.push(invalidError(path, name, 'must be a standard resource for containers'));
  }
  return [...errors, ...quantityFaults(name, amount, path)];
}

/** What is wrong with an amount of a resource. */
export function quantityFaults(name: string, amount: string, path: string): FieldError[] {
  const nanos = parseQuantity(amount)?.nanos ?? 0n;
  if (nanos < 0n) return [invalidError(path, amount, 'must be greater than or equal to 0')];
  const isWhole = nanos % 1_000_000_000n === 0n;
  if (!isWhole && name.includes('/')) return [invalidError(path, amount, 'must be an integer')];
  return [];
}
