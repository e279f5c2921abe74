import { type ConverterFactory, type Crd, inProcessConverter, renameOnly } from '../../apiserver/index.ts';
import { type Conversion, parseApiVersion } from '../../kube/index.ts';
import { kindConversions } from './conversions.ts';

/** Converts our kinds inside the API server's own process; other definitions are renamed only. */
export function converterOfKinds(conversions: readonly Conversion[] = kindConversions()): ConverterFactory {
  const find = ({ spec }: Crd): Conversion | undefined =>
    conversions.find(({ group, kind }) => group === spec.group && kind === spec.names.kind);
  return (crd) => {
    const own = find(crd);
    if (own === undefined) return renameOnly;
    return inProcessConverter((object, toApiVersion) => {
      const converted = own.convert(object, parseApiVersion(toApiVersion).version);
      return converted as typeof object;
    });
  };
}
