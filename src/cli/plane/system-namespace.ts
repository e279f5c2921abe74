/** The namespace of what belongs to no tenant: leases, keys of webhooks, jobs. */
export const systemNamespace = 'rackwright-system';
