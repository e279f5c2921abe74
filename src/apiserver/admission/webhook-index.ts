import { followBucket } from '../auth/follow-bucket.ts';
import type { ObjectStore, Stored } from '../store/store.ts';
import {
  type CompiledWebhook,
  compileConfiguration,
  type WebhookConfigurationObject,
} from './webhook-configuration.ts';

/** What kind of webhook: one that may change the object, or one that only says yes or no. */
export type WebhookType = 'mutating' | 'validating';

const bucketOf: Readonly<Record<WebhookType, string>> = {
  mutating: 'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  validating: 'admissionregistration.k8s.io/validatingwebhookconfigurations',
};

/** Every stored webhook, compiled, in the order in which they are asked: by configuration name, then as listed. */
export class WebhookIndex {
  readonly #byConfiguration = {
    mutating: new Map<string, CompiledWebhook[]>(),
    validating: new Map<string, CompiledWebhook[]>(),
  };
  readonly #sorted: Record<WebhookType, readonly CompiledWebhook[]> = { mutating: [], validating: [] };
  #generation = 0;

  /** Grows with every change of a configuration. */
  get generation(): number {
    return this.#generation;
  }

  /** Reads what is stored and follows every change. */
  follow(store: ObjectStore): { close(): void } {
    const subscriptions = (['mutating', 'validating'] as const).map((type) =>
      followBucket(store, bucketOf[type], {
        set: (stored: Stored) => {
          const configuration = JSON.parse(stored.json) as WebhookConfigurationObject;
          this.#byConfiguration[type].set(stored.name, compileConfiguration(configuration));
        },
        remove: (stored: Stored) => this.#byConfiguration[type].delete(stored.name),
        settled: () => this.#sort(type),
      }),
    );
    return {
      close: () => {
        for (const subscription of subscriptions) subscription.close();
      },
    };
  }

  webhooks(type: WebhookType): readonly CompiledWebhook[] {
    return this.#sorted[type];
  }

  #sort(type: WebhookType): void {
    const known = this.#byConfiguration[type];
    this.#sorted[type] = [...known.keys()].sort().flatMap((name) => known.get(name) ?? []);
    this.#generation++;
  }
}
