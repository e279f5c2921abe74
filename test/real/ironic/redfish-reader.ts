import { Agent, request } from 'undici';

/** Where a BMC is and how to log in with HTTP Basic. */
export interface RedfishReaderOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The authority to trust. */
  readonly caPem?: string;
  /** Trust any certificate, for a BMC that signs its own. */
  readonly skipVerify?: boolean;
}

/** Plain reads of Redfish resources, sharing no code with the clients that are being tested. */
export interface RedfishReader {
  /** The resource as it is; anything but a 200 is an error. */
  read(path: string): Promise<Record<string, unknown>>;
}

/** Makes a reader that opens a connection per read and keeps none. */
export function createRedfishReader(options: RedfishReaderOptions): RedfishReader {
  const connect = {
    ...(options.caPem === undefined ? {} : { ca: options.caPem }),
    ...(options.skipVerify === true ? { rejectUnauthorized: false } : {}),
  };
  const authorization = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;
  return {
    async read(path) {
      const agent = new Agent({ connect, pipelining: 0 });
      try {
        const answer = await request(`${options.url}${path}`, { dispatcher: agent, headers: { authorization } });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`GET ${path} answered ${answer.statusCode}: ${text}`);
        return JSON.parse(text) as Record<string, unknown>;
      } finally {
        await agent.close();
      }
    },
  };
}
