import type { ProvisionState, ProvisionTarget } from '../node/index.ts';

type Ways = Partial<Record<ProvisionTarget, ProvisionState>>;

/** Which requests Ironic takes in which state, and the state that each leads to at once; as its state machine has it. */
export const transitions: Readonly<Record<ProvisionState, Ways>> = {
  enroll: { manage: 'verifying' },
  verifying: {},
  manageable: { provide: 'cleaning', clean: 'cleaning', inspect: 'inspecting', adopt: 'adopting' },
  available: { active: 'deploying', manage: 'manageable' },
  active: { deleted: 'deleting', service: 'servicing' },
  error: { deleted: 'deleting' },
  inspecting: {},
  'inspect wait': { abort: 'inspect failed' },
  'inspect failed': { manage: 'manageable', inspect: 'inspecting' },
  cleaning: {},
  'clean wait': { abort: 'clean failed' },
  'clean hold': { abort: 'clean failed' },
  'clean failed': { manage: 'manageable' },
  deploying: {},
  'wait call-back': { deleted: 'deleting', abort: 'deploy failed' },
  'deploy hold': { abort: 'deploy failed' },
  'deploy failed': { active: 'deploying', deleted: 'deleting' },
  deleting: {},
  adopting: {},
  'adopt failed': { adopt: 'adopting', manage: 'manageable' },
  servicing: {},
  // Ironic fails the service and gives it up in one go.
  'service wait': { abort: 'active', deleted: 'deleting' },
  'service hold': { abort: 'active', service: 'servicing' },
  'service failed': { service: 'servicing', deleted: 'deleting', abort: 'active' },
  rescue: { deleted: 'deleting', unrescue: 'unrescuing' },
  rescuing: {},
  'rescue wait': { abort: 'rescue failed', deleted: 'deleting' },
  'rescue failed': { deleted: 'deleting', unrescue: 'unrescuing' },
  unrescuing: {},
  'unrescue failed': { deleted: 'deleting', unrescue: 'unrescuing' },
};
