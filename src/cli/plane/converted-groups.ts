/** The groups of ours in which kinds have several versions. */
export const convertedGroups: ReadonlySet<string> = new Set(['cluster.x-k8s.io', 'infrastructure.cluster.x-k8s.io']);
