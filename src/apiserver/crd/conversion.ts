import type { KubeObject } from '../object.ts';
import type { Crd } from './crd-object.ts';

/** Turns objects of a custom resource from one version into another. */
export interface Converter {
  /** Objects keep their order; metadata other than labels and annotations must come back unchanged. */
  convert(objects: KubeObject[], toApiVersion: string): KubeObject[] | Promise<KubeObject[]>;
  /** One object at once. Throws a PendingConversion when that takes time; asked again afterwards, it answers. */
  convertNow?(object: KubeObject, toApiVersion: string): KubeObject;
}

/** Finds the converter for a CustomResourceDefinition: by its strategy, or one compiled into this program. */
export type ConverterFactory = (crd: Crd) => Converter;

/**
 * Thrown where a conversion is needed at once and has to be waited for. Whoever catches it waits for `done` and starts
 * the same work again.
 */
export class PendingConversion extends Error {
  override readonly name = 'PendingConversion';
  readonly done: Promise<void>;

  constructor(done: Promise<void>) {
    super('a conversion webhook has been asked and has not answered yet');
    this.done = done;
  }
}

/** Strategy None: only apiVersion changes. */
export const renameOnly: Converter = {
  convert: (objects, toApiVersion) => objects.map((object) => ({ ...object, apiVersion: toApiVersion })),
};

/** Converts one object; part of this program. May throw. */
export type ConvertObject = (object: KubeObject, toApiVersion: string) => KubeObject;
