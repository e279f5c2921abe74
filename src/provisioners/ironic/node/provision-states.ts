/** States in which Ironic itself works on a node and cannot be stopped. */
export const workingStates = [
  'verifying',
  'inspecting',
  'cleaning',
  'deploying',
  'deleting',
  'adopting',
  'servicing',
  'rescuing',
  'unrescuing',
] as const;

/** States in which Ironic waits for something else; `abort` ends them. */
export const waitingStates = ['inspect wait', 'clean wait', 'wait call-back', 'service wait', 'rescue wait'] as const;

/** States in which a step told Ironic to stop until somebody says go on. */
export const heldStates = ['clean hold', 'deploy hold', 'service hold'] as const;

/** States in which nothing happens by itself. */
export const restingStates = [
  'enroll',
  'manageable',
  'available',
  'active',
  'error',
  'inspect failed',
  'clean failed',
  'deploy failed',
  'adopt failed',
  'service failed',
  'rescue',
  'rescue failed',
  'unrescue failed',
] as const;

/** Every state that a node can be seen in. */
export const provisionStates = [...workingStates, ...waitingStates, ...heldStates, ...restingStates] as const;

/** Where a node is on its way through Ironic. `wait call-back` is what others call deploy wait. */
export type ProvisionState = (typeof provisionStates)[number];

/** What Ironic can be asked to do with a node. */
export type ProvisionTarget =
  | 'manage'
  | 'provide'
  | 'inspect'
  | 'clean'
  | 'active'
  | 'deleted'
  | 'adopt'
  | 'service'
  | 'unrescue'
  | 'abort';

/** States of a node that runs a system, or did and is to again. */
export const inUseStates = [
  'active',
  'servicing',
  'service wait',
  'service hold',
  'service failed',
  'rescue',
  'rescuing',
  'rescue wait',
  'rescue failed',
  'unrescuing',
  'unrescue failed',
] as const satisfies readonly ProvisionState[];

/** Whether a node in that state runs a system. */
export function isInUse(state: string): boolean {
  return (inUseStates as readonly string[]).includes(state);
}

/** Whether we know that state. */
export function isProvisionState(state: string): state is ProvisionState {
  return (provisionStates as readonly string[]).includes(state);
}

/** Whether Ironic works on the node or waits for something in the middle of work. */
export function isUnderWay(state: string): boolean {
  return ([...workingStates, ...waitingStates, ...heldStates] as readonly string[]).includes(state);
}

/** Whether `abort` ends what is under way. */
export function isAbortable(state: string): boolean {
  return ([...waitingStates, ...heldStates] as readonly string[]).includes(state);
}
