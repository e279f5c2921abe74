import type { Metrics } from '../../telemetry/index.ts';

/** What the shell of a controller reports. */
export interface ControllerMetrics {
  /** How a look at a key ended: `ok`, or the class of the failure. */
  decided(outcome: string): void;
  effect(kind: string, outcome: string): void;
  statusWritten(): void;
}

/** Defines the metrics of controllers. */
export function createControllerMetrics(metrics: Metrics, controller: string): ControllerMetrics {
  const decisions = metrics.counter({
    name: 'rackwright_controller_decisions_total',
    help: 'Looks at a key by how they ended: ok, transient, blocked, terminal, bug.',
    labels: ['controller', 'outcome'],
  });
  const effects = metrics.counter({
    name: 'rackwright_controller_effects_total',
    help: 'Effects by kind and outcome.',
    labels: ['controller', 'effect', 'outcome'],
  });
  const statuses = metrics.counter({
    name: 'rackwright_controller_status_writes_total',
    help: 'Statuses written because they changed.',
    labels: ['controller'],
  });
  return {
    decided: (outcome) => decisions.add(1, { controller, outcome }),
    effect: (kind, outcome) => effects.add(1, { controller, effect: kind, outcome }),
    statusWritten: () => statuses.add(1, { controller }),
  };
}
