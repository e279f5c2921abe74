/** On every Job of the update service and on its pods; network policies and whoever looks for Jobs go by them. */
export const jobLabels = {
  'app.kubernetes.io/name': 'rackwright-job',
  'app.kubernetes.io/managed-by': 'rackwright',
} as const;
