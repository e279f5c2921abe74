import type { KubeObject } from '../object.ts';
import type { Crd } from './crd-object.ts';

/** Turns objects of a custom resource from one version into another. */
export interface Converter {
  /** Objects keep their order; metadata other than labels and annotations must come back unchanged. */
  convert(objects: KubeObject[], toApiVersion: string): KubeObject[] | Promise<KubeObject[]>;
}

/** Finds the converter for a CustomResourceDefinition: by its strategy, or one compiled into this program. */
export type ConverterFactory = (crd: Crd) => Converter;

/** Strategy None: only apiVersion changes. */
export const renameOnly: Converter = {
  convert: (objects, toApiVersion) => objects.map((object) => ({ ...object, apiVersion: toApiVersion })),
};
