import { clusterAnnotations } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';

/** What was last set, and how many hosts are left out because somebody wanted fewer replicas. */
export interface ScaleRecord {
  readonly replicas: number;
  readonly held: number;
}

/** On a MachineSet or MachineDeployment that follows its hosts: what it was last scaled to. */
export const recordAnnotation = 'machines.rackwright.io/scaled-to-hosts';

/** What was last set; undefined when nothing was, or when it cannot be read. */
export function recordOf({ metadata }: KubeObject): ScaleRecord | undefined {
  const text = metadata?.annotations?.[recordAnnotation] ?? '';
  const [, replicas, held] = /^(\d{1,9}) replicas, (\d{1,9}) held back$/.exec(text) ?? [];
  return replicas === undefined || held === undefined ? undefined : { replicas: Number(replicas), held: Number(held) };
}

/** The record as an annotation. */
export function recordText({ replicas, held }: ScaleRecord): string {
  return `${replicas} replicas, ${held} held back`;
}

/** How many hosts are left out: as many as somebody has taken replicas away, as long as those hosts are there. */
export function heldBack(
  record: ScaleRecord | undefined,
  { replicas, spare }: { readonly replicas: number; readonly spare: number },
): number {
  if (record === undefined) return 0;
  return Math.min(spare, Math.max(0, record.held + record.replicas - replicas));
}

/** Within which a number of replicas stays. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
  /** True when the cluster autoscaler scales it too. */
  readonly isAutoscaled: boolean;
}

/** The bounds are those of the cluster autoscaler, so that both keep to the same. */
export function boundsOf({ metadata }: KubeObject): Bounds {
  const read = (name: string): number | undefined => {
    const text = metadata?.annotations?.[name];
    return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  const least = read(clusterAnnotations.autoscalerMinSize);
  const most = read(clusterAnnotations.autoscalerMaxSize);
  return {
    least: least ?? 0,
    most: most ?? Number.MAX_SAFE_INTEGER,
    // It looks after those that name both.
    isAutoscaled: least !== undefined && most !== undefined,
  };
}
