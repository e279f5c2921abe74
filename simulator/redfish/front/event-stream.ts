import type { MachineEvent } from '../../machine/machine.ts';
import { eventBody } from './event-body.ts';
import type { Exchange } from './exchange.ts';

/** Where the stream of events is, on those BMCs that have one. */
export const eventStreamPath = '/redfish/v1/EventService/SSE';

/** A listener that has this much unread is cut off: the BMC has no room to keep it. */
const mostUnreadBytes = 1024 * 1024;

/** Streams events as server-sent events until the client leaves or stops reading. */
export function streamEvents(exchange: Exchange): Promise<void> {
  const { response, machine, signal } = exchange;
  response.sendDate = false;
  response.writeHead(200, {
    'Content-Type': 'text/event-stream;charset=UTF-8',
    'Cache-Control': 'no-cache',
    'OData-Version': '4.0',
    Connection: 'close',
  });
  response.write(': stream opened\n\n');
  return new Promise((resolve) => {
    const send = (event: MachineEvent): void => {
      if (response.writableLength > mostUnreadBytes) {
        exchange.cut();
        return;
      }
      response.write(`id: ${event.id}\ndata: ${JSON.stringify(eventBody([event], ''))}\n\n`);
    };
    const stop = machine.events.listen(send);
    const leave = (): void => {
      stop();
      response.end();
      resolve();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
