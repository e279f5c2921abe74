import type { Metrics } from '../telemetry/index.ts';

/** What a flasher counts. */
export interface FlasherMetrics {
  actionEnded(
    action: { readonly vendor: string; readonly component: string; readonly state: string },
    ms: number,
  ): void;
  stepEnded(step: { readonly step: string; readonly result: string }, ms: number): void;
  sent(component: string): void;
  resumed(step: string): void;
}

const minutes = [0.1, 0.5, 1, 2, 5, 10, 20, 40, 60, 120].map((each) => each * 60);

/** Defines the metrics of a flasher. */
export function createFlasherMetrics(metrics: Metrics): FlasherMetrics {
  const actions = metrics.histogram({
    name: 'flasher_install_action_runtime_seconds',
    help: 'Time that the install of one image took.',
    labels: ['vendor', 'component', 'state'],
    buckets: minutes,
  });
  const steps = metrics.histogram({
    name: 'flasher_install_action_handler_seconds',
    help: 'Time that one step of an install took.',
    labels: ['step', 'result'],
    buckets: minutes,
  });
  const sent = metrics.counter({
    name: 'rackwright_flasher_images_sent_total',
    help: 'Images that were sent to BMCs.',
    labels: ['component'],
  });
  const resumed = metrics.counter({
    name: 'rackwright_flasher_installs_resumed_total',
    help: 'Installs that were gone on with after their worker was lost.',
    labels: ['step'],
  });
  return {
    actionEnded: (labels, ms) => actions.observe(ms / 1000, { ...labels }),
    stepEnded: (labels, ms) => steps.observe(ms / 1000, { ...labels }),
    sent: (component) => sent.add(1, { component }),
    resumed: (step) => resumed.add(1, { step }),
  };
}
