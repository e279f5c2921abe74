import { type Converter, type ConverterFactory, type Crd, renameOnly } from '../../apiserver/index.ts';
import type { Conversion } from '../../kube/index.ts';
import { kindConversions } from './conversions.ts';

/** Converts our kinds inside the API server's own process; other definitions are renamed only. */
export function converterOfKinds(conversions: readonly Conversion[] = kindConversions()): ConverterFactory {
  return (crd) => converterOf(crd, conversions) ?? renameOnly;
}

function converterOf(crd: Crd, conversions: readonly Conversion[]): Converter | undefined {
  const { group, names, conversion: declared } = crd.spec;
  // Whoever names a webhook means it.
  if (declared?.strategy === 'Webhook') return undefined;
  const own = conversions.find((each) => each.group === group && each.kind === names.kind);
  if (own === undefined) return undefined;
  return {
    convert: (objects, toApiVersion) =>
      objects.map((object) => {
        if (object.apiVersion === toApiVersion) return object;
        const converted = own.convert(object, toApiVersion.slice(group.length + 1)) as typeof object;
        const { labels, annotations } = converted.metadata;
        return { ...converted, metadata: { ...object.metadata, ...defined({ labels, annotations }) } };
      }),
  };
}

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
