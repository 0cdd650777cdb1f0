// A process that answers requests, on connections that the supervisor gives to it. What it writes, the writer writes.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Stop } from '../background.ts';
import { storeLocation } from '../config.ts';
import { startServer } from '../server.ts';
import type { ChildParts, Colleagues } from './run-child.ts';
import { workerCount } from './worker-count.ts';

export async function startWorker({ config, log, colleagues, writerAt, publicUrl }: ChildParts): Promise<Stop> {
  const isShared = storeLocation(config).engine === 'sqlite';
  const { stop } = await startServer(config, log, {
    others: {
      publicUrl,
      processes: workerCount(config),
      writerAt: isShared ? writerAt : undefined,
      shareMetrics: colleagues.shareMetrics,
      takeConnections: (server) => takeConnections(server, colleagues),
    },
  });
  return stop;
}

function takeConnections(server: Server, { listen, tell }: Colleagues): void {
  listen((message, socket) => {
    if (!('connection' in message)) return;
    tell({ took: message.connection });
    // A client may have gone while its connection was on the way.
    if (socket !== undefined) answer(server, socket);
  });
  tell({ ready: true });
}

function answer(server: Server, socket: Socket): void {
  socket.setNoDelay(true);
  server.emit('connection', socket);
  socket.resume();
}
