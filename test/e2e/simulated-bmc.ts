import { Agent, request } from 'undici';

/** What a simulated BMC answered. */
export interface BmcAnswer {
  readonly status: number;
  /** The body, read as JSON; empty when there is none. */
  readonly json: object;
}

/** Asks a simulated BMC as a person would, with the line that `rackwright simulate login` prints. */
export async function askBmc(
  login: string,
  order: { readonly method?: 'GET' | 'PATCH' | 'POST'; readonly path: string; readonly body?: object },
): Promise<BmcAnswer> {
  const [url, username, password] = login.trim().split(' ');
  // Certificates of simulated BMCs are signed by an authority that is made anew with each start.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  try {
    const { statusCode, body } = await request(`${url}${order.path}`, {
      method: order.method ?? 'GET',
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: order.body === undefined ? null : JSON.stringify(order.body),
      dispatcher,
    });
    const text = await body.text();
    return { status: statusCode, json: text === '' ? {} : JSON.parse(text) };
  } finally {
    await dispatcher.close();
  }
}
