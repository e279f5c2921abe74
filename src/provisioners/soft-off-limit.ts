/** How long a system may take to shut down before the power of its host is cut. */
export const softOffLimitMs = 180_000;

const limit = `${softOffLimitMs / 60_000} minutes`;

/** What is said of a host while its system shuts down for a change. */
export const shuttingDown = `its system is shut down; its power is cut if that takes longer than ${limit}`;

/** What is said of a host whose system did not shut down in time. */
export const cuttingPower = `its system did not shut down within ${limit}; its power is cut`;
