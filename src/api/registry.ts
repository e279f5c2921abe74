import { clusterKinds } from './cluster/index.ts';
import type { KindDeclaration } from './declare.ts';
import { ironcoreKinds } from './ironcore/index.ts';
import { metal3Kinds, switchPortConfigurationKinds } from './metal3/index.ts';

/** Every kind Rackwright declares, in the order the reference lists them. */
export const allKinds: readonly KindDeclaration[] = [...metal3Kinds, ...ironcoreKinds, ...clusterKinds];

const [canonicalSpelling, ...otherSpellings] = switchPortConfigurationKinds;

/**
 * Other spellings of kinds, by group and spelling. A second CRD would make other objects of them, so references take
 * both spellings, and what reads manifests writes the canonical one.
 */
export const kindAliases: ReadonlyMap<string, string> = new Map(
  otherSpellings.map((spelling) => [`metal3.io/${spelling}`, canonicalSpelling]),
);

/** The declared kind behind a group and a kind, in any spelling we accept. */
export function findKind(group: string, kind: string): KindDeclaration | undefined {
  const name = kindAliases.get(`${group}/${kind}`) ?? kind;
  return allKinds.find((declared) => declared.group === group && declared.kind === name);
}
