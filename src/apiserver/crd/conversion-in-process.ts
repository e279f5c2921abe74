import type { KubeObject } from '../object.ts';
import { ApiError } from '../status.ts';
import type { WebhookClient } from '../webhook/webhook-client.ts';
import type { Converter, ConverterFactory, ConvertObject } from './conversion.ts';
import { checkConverted, conversionFault } from './conversion-checks.ts';
import { WebhookConverter } from './conversion-webhook.ts';

/** The converter of a kind that this program can convert itself; held to the same rules as a webhook. */
export function inProcessConverter(convert: ConvertObject): Converter {
  const convertOne = (object: KubeObject, toApiVersion: string): KubeObject => {
    if (object.apiVersion === toApiVersion) return object;
    try {
      return checkConverted(object, convert(structuredClone(object), toApiVersion), toApiVersion);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw conversionFault(object, `failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return { convert: (objects, toApiVersion) => objects.map((object) => convertOne(object, toApiVersion)) };
}

/**
 * Chooses the converter of a definition: its webhook, since whoever names one means it; otherwise what this program
 * brings along.
 */
export function converterFactory(ownConverter: ConverterFactory, client: WebhookClient): ConverterFactory {
  return (crd) => (crd.spec.conversion?.strategy === 'Webhook' ? new WebhookConverter(crd, client) : ownConverter(crd));
}
