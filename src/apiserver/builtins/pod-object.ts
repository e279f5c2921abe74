import type { KubeObject } from '../object.ts';
import type { Affinity, Spread } from './pod-placement.ts';

/** Amounts by resource name. */
export type ResourceAmounts = Record<string, string>;

/** What a probe or hook does. */
export interface Handler {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port?: string | number; scheme?: string };
  tcpSocket?: { port?: string | number };
  grpc?: { port?: number; service?: string | null };
  sleep?: { seconds: number };
}

/** A liveness, readiness or startup probe. */
export interface Probe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

/** Where the value of an environment variable comes from. */
export interface EnvSource {
  fieldRef?: { apiVersion?: string; fieldPath?: string };
  resourceFieldRef?: { resource?: string; containerName?: string };
  configMapKeyRef?: { name?: string; key?: string };
  secretKeyRef?: { name?: string; key?: string };
  fileKeyRef?: object;
}

/** A container of a pod. */
export interface Container {
  name?: string;
  image?: string;
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  restartPolicy?: string;
  ports?: { name?: string; containerPort?: number; hostPort?: number; hostIP?: string; protocol?: string }[];
  env?: { name?: string; value?: string; valueFrom?: EnvSource }[];
  envFrom?: { prefix?: string; configMapRef?: { name?: string }; secretRef?: { name?: string } }[];
  volumeMounts?: { name?: string; mountPath?: string; subPath?: string; subPathExpr?: string }[];
  volumeDevices?: { name?: string; devicePath?: string }[];
  resources?: { limits?: ResourceAmounts; requests?: ResourceAmounts };
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  securityContext?: SecurityContext;
  restartPolicyRules?: object[];
}

/** A file made from a key. */
export interface KeyToPath {
  key?: string;
  path?: string;
  mode?: number;
}

/** A volume of a pod; only the sources this server looks into are spelt out. */
export interface Volume {
  name?: string;
  emptyDir?: object;
  hostPath?: { path?: string; type?: string };
  secret?: { secretName?: string; defaultMode?: number; items?: KeyToPath[] };
  configMap?: { name?: string; defaultMode?: number; items?: KeyToPath[] };
  downwardAPI?: { defaultMode?: number; items?: DownwardFile[] };
  projected?: {
    defaultMode?: number;
    sources?: {
      serviceAccountToken?: { expirationSeconds?: number; path?: string };
      downwardAPI?: { items?: DownwardFile[] };
    }[];
  };
  persistentVolumeClaim?: { claimName?: string };
  nfs?: { server?: string; path?: string };
  [source: string]: unknown;
}

/** A file that shows a field of the pod. */
export interface DownwardFile {
  path?: string;
  fieldRef?: { apiVersion?: string; fieldPath?: string };
}

/** What a pod tolerates. */
export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** The rights of a pod or of a container. */
export interface SecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  fsGroup?: number;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  sysctls?: { name?: string; value?: string }[];
  seccompProfile?: { type?: string; localhostProfile?: string };
}

/** What a pod should be. */
export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: string;
  dnsPolicy?: string;
  dnsConfig?: { nameservers?: string[]; searches?: string[]; options?: { name?: string }[] };
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  serviceAccountName?: string;
  serviceAccount?: string;
  hostNetwork?: boolean;
  hostname?: string;
  subdomain?: string;
  hostAliases?: { ip?: string; hostnames?: string[] }[];
  schedulerName?: string;
  securityContext?: SecurityContext;
  affinity?: Affinity;
  topologySpreadConstraints?: Spread[];
  ephemeralContainers?: Container[];
  imagePullSecrets?: { name?: string }[];
  runtimeClassName?: string;
  os?: { name?: string };
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  priorityClassName?: string;
  preemptionPolicy?: string;
  tolerations?: Toleration[];
  schedulingGates?: { name?: string }[];
  readinessGates?: { conditionType: string }[];
}

/** How a container is doing. */
export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  started?: boolean;
  state?: ContainerState;
  lastState?: ContainerState;
}

/** Running, waiting or over. */
export interface ContainerState {
  running?: { startedAt?: string | null };
  waiting?: { reason?: string };
  terminated?: { reason?: string; exitCode?: number; signal?: number; finishedAt?: string | null };
}

/** How a pod is doing. */
export interface PodStatus {
  phase?: string;
  reason?: string;
  qosClass?: string;
  podIP?: string;
  podIPs?: { ip: string }[];
  hostIP?: string;
  hostIPs?: { ip: string }[];
  nominatedNodeName?: string;
  conditions?: { type: string; status: string; reason?: string }[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
}

/** v1 Pod. */
export interface Pod extends KubeObject {
  spec?: PodSpec;
  status?: PodStatus;
}

/** Where pods are stored. */
export const podBucket = '/pods';
