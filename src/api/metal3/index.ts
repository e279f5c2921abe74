import type { KindDeclaration } from '../declare.ts';
import { bareMetalHost } from './bare-metal-host.ts';

/** Every kind of the metal3.io group. */
export const metal3Kinds: readonly KindDeclaration[] = [bareMetalHost];
