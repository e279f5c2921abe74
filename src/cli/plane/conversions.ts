import { allKinds, convertCluster, convertInfrastructure, type KindDeclaration } from '../../api/index.ts';
import type { Conversion } from '../../kube/index.ts';

type Convert = typeof convertCluster;

const byGroup: ReadonlyMap<string, Convert> = new Map([
  ['cluster.x-k8s.io', convertCluster],
  ['infrastructure.cluster.x-k8s.io', convertInfrastructure],
]);

/** The kinds that have several versions. */
export function convertedKinds(kinds: readonly KindDeclaration[] = allKinds): KindDeclaration[] {
  return kinds.filter((kind) => kind.versions.length > 1);
}

/** How objects of our kinds get from one version to another. */
export function kindConversions(kinds: readonly KindDeclaration[] = allKinds): Conversion[] {
  return convertedKinds(kinds).map(({ group, kind }) => {
    const convert = byGroup.get(group);
    if (convert === undefined) throw new TypeError(`${kind}.${group} has several versions and no conversion`);
    return {
      group,
      kind,
      convert: (object, version) =>
        convert(object as Parameters<Convert>[0], `${group}/${version}`) as ReturnType<Conversion['convert']>,
    };
  });
}
