/**
 * How single fields of built-in kinds are written when they hold nothing, as far as their schemas do not say: by Go
 * type (`x-go-type`). Taken from the types of Kubernetes 1.34.
 */

/** Numbers and flags that are left out when they are zero or false; all others are kept, because they were set. */
export const omittedWhenZero: Readonly<Record<string, readonly string[]>> = {
  'v1.AWSElasticBlockStoreVolumeSource': ['partition', 'readOnly'],
  'v1.AzureFileVolumeSource': ['readOnly'],
  'v1.CephFSVolumeSource': ['readOnly'],
  'v1.CinderVolumeSource': ['readOnly'],
  'v1.Condition': ['observedGeneration'],
  'v1.Container': ['stdin', 'stdinOnce', 'tty'],
  'v1.ContainerImage': ['sizeBytes'],
  'v1.ContainerPort': ['hostPort'],
  'v1.ContainerStateTerminated': ['signal'],
  'v1.CustomResourceColumnDefinition': ['priority'],
  'v1.CustomResourceDefinitionSpec': ['preserveUnknownFields'],
  'v1.CustomResourceDefinitionVersion': ['deprecated'],
  'v1.EphemeralContainer': ['stdin', 'stdinOnce', 'tty'],
  'v1.Event': ['count', 'deprecatedCount'],
  'v1.EventSeries': ['count'],
  'v1.FCVolumeSource': ['readOnly'],
  'v1.FlexVolumeSource': ['readOnly'],
  'v1.GCEPersistentDiskVolumeSource': ['partition', 'readOnly'],
  'v1.GlusterfsVolumeSource': ['readOnly'],
  'v1.ISCSIVolumeSource': ['readOnly', 'chapAuthDiscovery', 'chapAuthSession'],
  'v1.JobStatus': ['active', 'succeeded', 'failed'],
  'v1.NFSVolumeSource': ['readOnly'],
  'v1.NodeSpec': ['unschedulable'],
  'v1.ObjectMeta': ['generation'],
  'v1.PersistentVolumeClaimVolumeSource': ['readOnly'],
  'v1.PodCondition': ['observedGeneration'],
  'v1.PodDisruptionBudgetStatus': ['observedGeneration'],
  'v1.PodSpec': ['hostNetwork', 'hostPID', 'hostIPC'],
  'v1.PodStatus': ['observedGeneration'],
  'v1.PortworxVolumeSource': ['readOnly'],
  'v1.Probe': ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'],
  'v1.QuobyteVolumeSource': ['readOnly'],
  'v1.RBDVolumeSource': ['readOnly'],
  'v1.ScaleIOVolumeSource': ['sslEnabled', 'readOnly'],
  'v1.StorageOSVolumeSource': ['readOnly'],
  'v1.VolumeMount': ['readOnly'],
  'v1.VolumeMountStatus': ['readOnly'],
};

/** Texts that are kept when they are empty. */
export const keptWhenEmpty: Readonly<Record<string, readonly string[]>> = {
  'v1.ClusterTrustBundleProjection': ['name', 'signerName'],
  'v1.CustomResourceDefinitionVersion': ['deprecationWarning'],
  'v1.CustomResourceSubresourceScale': ['labelSelectorPath'],
  'v1.JobSpec': ['managedBy'],
  'v1.JobStatus': ['failedIndexes'],
  'v1.LeaseSpec': ['holderIdentity', 'preferredHolder'],
  'v1.PersistentVolumeClaimSpec': ['storageClassName', 'volumeAttributesClassName'],
  'v1.PodDNSConfigOption': ['value'],
  'v1.PodSpec': ['runtimeClassName', 'hostnameOverride'],
  'v1.SeccompProfile': ['localhostProfile'],
  'v1.ServiceReference': ['path'],
  'v1.WebhookClientConfig': ['url'],
};

/** Times and lists that are written as null when there are none. */
export const writtenAsNull: Readonly<Record<string, readonly string[]>> = {
  'v1.ClusterRole': ['rules'],
  'v1.Condition': ['lastTransitionTime'],
  'v1.ContainerStateRunning': ['startedAt'],
  'v1.ContainerStateTerminated': ['startedAt', 'finishedAt'],
  'v1.CustomResourceDefinitionCondition': ['lastTransitionTime'],
  'v1.CustomResourceDefinitionStatus': ['conditions', 'storedVersions'],
  'v1.Event': ['eventTime', 'firstTimestamp', 'lastTimestamp', 'deprecatedFirstTimestamp', 'deprecatedLastTimestamp'],
  'v1.EventSeries': ['lastObservedTime'],
  'v1.JobCondition': ['lastProbeTime', 'lastTransitionTime'],
  'v1.NamespaceCondition': ['lastTransitionTime'],
  'v1.NodeCondition': ['lastHeartbeatTime', 'lastTransitionTime'],
  'v1.NodeSelector': ['nodeSelectorTerms'],
  'v1.PodCondition': ['lastProbeTime', 'lastTransitionTime'],
  'v1.PodSpec': ['containers'],
  'v1.PolicyRule': ['verbs'],
  'v1.ProjectedVolumeSource': ['sources'],
  'v1.Role': ['rules'],
};
