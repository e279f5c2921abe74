import type { DemoScript } from './pace.ts';

/** Hosts whose names say how far they come, as Metal3's demo has them. All others come everywhere. */
export const cannedHosts: Readonly<Record<string, DemoScript>> = {
  'demo-registering': ({ step }) => (step === 'register' ? { pace: { kind: 'never' } } : undefined),
  'demo-registration-error': ({ step }) =>
    step === 'register' ? { failure: 'failed to register new host' } : undefined,
  'demo-inspecting': ({ step }) => (step === 'inspect' ? { pace: { kind: 'never' } } : undefined),
  'demo-preparing': ({ step }) => (step === 'prepare' ? { pace: { kind: 'never' } } : undefined),
  'demo-preparing-error': ({ step }) => (step === 'prepare' ? { failure: 'preparation failed' } : undefined),
  'demo-provisioning': ({ step }) => (step === 'provision' ? { pace: { kind: 'never' } } : undefined),
  'demo-validation-error': ({ step }) => (step === 'provision' ? { failure: 'validation failed' } : undefined),
};
