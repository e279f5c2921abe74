import { type FieldError, invalidError, notSupportedError, requiredError } from '../../schema/index.ts';
import type { WebhookRule } from './webhook-configurations.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** What is wrong with a rule of an admission webhook. */
export function webhookRuleFaults(rule: WebhookRule, path: string): FieldError[] {
  const asked = rule.operations ?? [];
  const errors = listFaults(asked, `${path}.operations`, 'operations');
  for (const [index, operation] of asked.entries()) {
    if (!operations.includes(operation))
      errors.push(notSupportedError(`${path}.operations[${index}]`, operation, operations));
  }
  errors.push(...listFaults(rule.apiGroups ?? [], `${path}.apiGroups`, 'API groups'));
  errors.push(...listFaults(rule.apiVersions ?? [], `${path}.apiVersions`, 'API versions'));
  for (const [index, version] of (rule.apiVersions ?? []).entries()) {
    if (version === '') errors.push(requiredError(`${path}.apiVersions[${index}]`));
  }
  errors.push(...resourcesFaults(rule.resources ?? [], `${path}.resources`));
  if (rule.scope !== undefined && !scopes.includes(rule.scope)) {
    errors.push(notSupportedError(`${path}.scope`, rule.scope, scopes));
  }
  return errors;
}

function listFaults(list: string[], path: string, what: string): FieldError[] {
  if (list.length === 0) return [requiredError(path)];
  if (list.length === 1 || !list.includes('*')) return [];
  return [invalidError(path, list, `if '*' is present, must not specify other ${what}`)];
}

function resourcesFaults(resources: string[], path: string): FieldError[] {
  if (resources.length === 0) return [requiredError(path)];
  const errors: FieldError[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  for (const [index, text] of resources.entries()) {
    const at = `${path}[${index}]`;
    if (text === '') errors.push(requiredError(at));
    const [resource = '', subresource] = text.split(/\/(.*)/s, 2);
    if (subresource === undefined) continue;
    const refuse = (pattern: string): void => {
      errors.push(invalidError(at, text, `if '${pattern}' is present, must not specify ${text}`));
    };
    if (wholeResources.has(resource)) refuse(`${resource}/*`);
    if (wholeSubresources.has(subresource)) refuse(`*/${subresource}`);
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidError(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  const isPlain = (text: string): boolean => text !== '' && text !== '*' && !text.includes('/');
  if (resources.includes('*') && resources.some(isPlain)) {
    const words = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidError(path, resources, words));
  }
  return errors;
}
