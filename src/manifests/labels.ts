import type { ComponentName } from './component.ts';

/** On every object of the installation. */
export const partOf = { 'app.kubernetes.io/part-of': 'rackwright' } as const;

/** What pods of a component are selected by; a Deployment can never change it. */
export function selectorOf(component: ComponentName): Record<string, string> {
  return { 'app.kubernetes.io/name': 'rackwright', 'app.kubernetes.io/component': component };
}

/** On everything of a component. */
export function labelsOf(component: ComponentName): Record<string, string> {
  return { ...partOf, ...selectorOf(component) };
}
