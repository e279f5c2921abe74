import {
  type FieldError,
  forbiddenError,
  invalidError,
  label1035Faults,
  notSupportedError,
  requiredError,
} from '../../schema/index.ts';
import type { Crd, WebhookClientConfig } from './crd-object.ts';
import { webhookClientErrors } from './validate-webhook-client.ts';

const knownReviewVersions = ['v1', 'v1beta1'];

/** Checks how objects are converted between versions. */
export function validateConversion(conversion: Crd['spec']['conversion'], path: string): FieldError[] {
  if (conversion === undefined) return [];
  const errors: FieldError[] = [];
  const strategy: string = conversion.strategy ?? '';
  if (strategy === '') errors.push(requiredError(`${path}.strategy`));
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    errors.push(notSupportedError(`${path}.strategy`, strategy, ['None', 'Webhook']));
  }
  const config = conversion.webhook?.clientConfig;
  const reviewVersions = conversion.webhook?.conversionReviewVersions ?? [];
  if (strategy === 'Webhook') {
    errors.push(...clientErrors(config, `${path}.webhookClientConfig`));
    errors.push(...reviewVersionErrors(reviewVersions, `${path}.conversionReviewVersions`));
    return errors;
  }
  const words = 'should not be set when strategy is not set to Webhook';
  if (config !== undefined) errors.push(forbiddenError(`${path}.webhookClientConfig`, words));
  if (reviewVersions.length > 0) errors.push(forbiddenError(`${path}.conversionReviewVersions`, words));
  return errors;
}

function clientErrors(config: WebhookClientConfig | undefined, path: string): FieldError[] {
  if (config === undefined) return [requiredError(path, 'required when strategy is set to Webhook')];
  return webhookClientErrors(config, path);
}

/** Which versions of a review a webhook understands: at least one that this server speaks. */
export function reviewVersionErrors(versions: string[], path: string): FieldError[] {
  if (versions.length === 0) return [requiredError(path)];
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    const at = `${path}[${index}]`;
    if (versions.indexOf(version) < index) errors.push(invalidError(at, version, 'duplicate version'));
    else for (const fault of label1035Faults(version)) errors.push(invalidError(at, version, fault));
  }
  if (!versions.some((version) => knownReviewVersions.includes(version))) {
    errors.push(invalidError(path, versions, `must include at least one of ${knownReviewVersions.join(', ')}`));
  }
  return errors;
}
