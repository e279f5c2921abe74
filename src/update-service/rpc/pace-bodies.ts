import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { MainThreadSteps } from '../../kube/index.ts';
import { pacedBodyBytes } from '../../rest/index.ts';
import type { NodeHandler } from './listener.ts';

/**
 * Has large messages read one by one, each in a turn of the event loop of its own. Messages of jobs are read before
 * anything proves who sends them, so strangers can send them, too.
 */
export function paceBodies(handler: NodeHandler): NodeHandler {
  const steps = new MainThreadSteps();
  return (request, response) => {
    const chunks = request[Symbol.asyncIterator].bind(request);
    // What follows the last piece, the end included, is done before the next request has its turn.
    const paced = async function* (): AsyncGenerator<Buffer, undefined> {
      let bytes = 0;
      for await (const chunk of { [Symbol.asyncIterator]: chunks } as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes >= pacedBodyBytes) await steps.turn();
        yield chunk;
      }
      if (bytes >= pacedBodyBytes) await steps.turn();
    };
    (request as Iterated)[Symbol.asyncIterator] = paced as Iterated[typeof Symbol.asyncIterator];
    handler(request, response);
  };
}

type Iterated = IncomingMessage | Http2ServerRequest;
