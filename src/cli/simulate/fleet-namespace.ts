/** The namespace that hosts, secrets and switches of a simulated fleet are in. */
export const fleetNamespace = 'simulated';
