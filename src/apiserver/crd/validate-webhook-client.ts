import { type FieldError, invalidError, requiredError, subdomainFaults } from '../../schema/index.ts';
import type { WebhookClientConfig } from './crd-object.ts';

/** Checks how a webhook is reached: by exactly one of a URL and a service. */
export function webhookClientErrors(config: WebhookClientConfig, path: string): FieldError[] {
  if ((config.url === undefined) === (config.service === undefined)) {
    return [requiredError(path, 'exactly one of url or service is required')];
  }
  if (config.url !== undefined) return urlErrors(config.url, `${path}.url`);
  return config.service === undefined ? [] : serviceErrors(config.service, `${path}.service`);
}

function urlErrors(text: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  const [, scheme = '', authority = '', , query = '', fragment = ''] = match ?? [];
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalidError(path, scheme, `'https' is the only allowed URL scheme${form}`));
  }
  if (host === '') errors.push(invalidError(path, host, `host must be specified${form}`));
  if (at >= 0) errors.push(invalidError(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidError(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidError(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

type Service = NonNullable<WebhookClientConfig['service']>;

function serviceErrors(service: Service, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name = '', namespace = '', port = 443 } = service;
  // kube-apiserver hands the two over in the wrong order and so names the other one.
  if (namespace === '') errors.push(requiredError(`${path}.name`));
  if (name === '') errors.push(requiredError(`${path}.namespace`));
  if (port < 1 || port > 65535) {
    errors.push(invalidError(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  return [...errors, ...servicePathErrors(service.path ?? '', `${path}.path`)];
}

function servicePathErrors(value: string, path: string): FieldError[] {
  if (value === '' || value === '/') return [];
  if (value === '//') return [invalidError(path, value, 'segment[0] may not be empty')];
  const errors: FieldError[] = [];
  if (!value.startsWith('/')) errors.push(invalidError(path, value, "must start with a '/'"));
  for (const [index, step] of value.slice(1).replace(/\/$/, '').split('/').entries()) {
    const faults = step === '' ? [' may not be empty'] : subdomainFaults(step).map((fault) => `: ${fault}`);
    for (const fault of faults) errors.push(invalidError(path, value, `segment[${index}]${fault}`));
  }
  return errors;
}
