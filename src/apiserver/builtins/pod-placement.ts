import type { LabelSelector } from '../meta/selectors.ts';

/** What a node's label must be like. */
export interface NodeRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

/** Requirements that must all hold. */
export interface NodeTerm {
  matchExpressions?: NodeRequirement[];
}

/** Pods this one wants to be near to, or far from. */
export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey?: string;
}

/** What must and what should be so about the pods around. */
export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; podAffinityTerm?: PodAffinityTerm }[];
}

/** Where a pod may run, by nodes and by other pods. */
export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeTerm[] | null };
    preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; preference?: NodeTerm }[];
  };
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

/** How evenly pods are spread. */
export interface Spread {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  labelSelector?: LabelSelector;
}
