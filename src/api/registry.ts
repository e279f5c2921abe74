import type { KindDeclaration } from './declare.ts';
import { metal3Kinds } from './metal3/index.ts';

/** Every kind Rackwright declares, in the order the reference lists them. */
export const allKinds: readonly KindDeclaration[] = [...metal3Kinds];
