import { InventoryError } from '../errors.ts';

/** What a namespace looks like: `sh.hollow.bmc_info`. */
export const namespacePattern = '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$';

const pattern = new RegExp(namespacePattern);

/** Throws `badValue` for what is no namespace. */
export function checkNamespace(namespace: string): void {
  if (pattern.test(namespace)) return;
  const problem = 'a namespace has up to 200 letters, digits and . _ : / @ -, and begins with a letter or digit';
  throw new InventoryError('badValue', { what: 'attribute' }, { problems: [problem] });
}

/** Where it is noted that a server is in the inventory because a Server object is there, whose UUID is its id. */
export const onboardingNamespace = 'io.rackwright.onboarding';
