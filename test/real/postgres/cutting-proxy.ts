import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server and can lose what the server answers. */
export interface CuttingProxy {
  readonly port: number;
  /** From now on: passes the first request that contains the text on, and cuts the line when the server answers it. */
  cutAnswerTo(text: string): void;
  stop(): Promise<void>;
}

/** Starts a proxy on a free port of the loopback interface. */
export async function startCuttingProxy(serverPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let trigger: string | undefined;
  const proxy = createServer((client) => {
    const server = connect(serverPort, '127.0.0.1');
    let isCutting = false;
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on('data', (chunk) => {
      if (trigger !== undefined && chunk.includes(trigger)) {
        trigger = undefined;
        isCutting = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (isCutting) cut();
      else client.write(chunk);
    });
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cutAnswerTo: (text) => {
      trigger = text;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => proxy.close(done));
    },
  };
}
