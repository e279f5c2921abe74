import { baseMessages, baseRegistry, type MessageTemplate } from './base-messages.ts';

/** A message registry that the service publishes. */
export interface MessageRegistry {
  readonly prefix: string;
  readonly version: string;
  readonly messages: Readonly<Record<string, MessageTemplate>>;
}

const none = 'None.';
const one = ['string'] as const;

/** The registries by the id of their MessageRegistryFile. */
export const messageRegistries: Readonly<Record<string, MessageRegistry>> = {
  [`${baseRegistry}.1`]: { prefix: 'Base', version: '1.8.1', messages: baseMessages },
  'TaskEvent.1.0.3': {
    prefix: 'TaskEvent',
    version: '1.0.3',
    messages: {
      TaskStarted: { message: 'The task with Id %1 has started.', severity: 'OK', resolution: none, paramTypes: one },
      TaskCompletedOK: {
        message: 'The task with Id %1 has completed.',
        severity: 'OK',
        resolution: none,
        paramTypes: one,
      },
      TaskCompletedWarning: {
        message: 'The task with Id %1 has completed with warnings.',
        severity: 'Warning',
        resolution: none,
        paramTypes: one,
      },
      TaskAborted: {
        message: 'The task with Id %1 has completed with errors.',
        severity: 'Critical',
        resolution: none,
        paramTypes: one,
      },
      TaskCancelled: {
        message: 'Work on the task with Id %1 has been halted.',
        severity: 'Warning',
        resolution: none,
        paramTypes: one,
      },
      TaskProgressChanged: {
        message: 'The task with Id %1 has changed to progress %2 percent complete.',
        severity: 'OK',
        resolution: none,
        paramTypes: ['string', 'number'],
      },
    },
  },
  'ResourceEvent.1.0.3': {
    prefix: 'ResourceEvent',
    version: '1.0.3',
    messages: {
      ResourceCreated: { message: 'The resource has been created successfully.', severity: 'OK', resolution: none },
      ResourceRemoved: { message: 'The resource has been removed successfully.', severity: 'OK', resolution: none },
      ResourceChanged: { message: 'One or more resource properties have changed.', severity: 'OK', resolution: none },
      ResourceErrorsDetected: {
        message: 'The resource property %1 has detected errors of type %2.',
        severity: 'Critical',
        resolution: none,
        paramTypes: ['string', 'string'],
      },
      TestMessage: { message: 'A test message was sent.', severity: 'OK', resolution: none },
    },
  },
};
