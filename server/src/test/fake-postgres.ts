import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * How the fake server behaves: it rejects the login with an error code, responds to every query with a version, or never responds.
 */
export type Behavior = { error: string; message: string } | { version: string } | 'silent';

export type FakePostgres = { port: number; close: () => void };

/** Speaks just enough of PostgreSQL's protocol to simulate states that a test cannot create in a real server. */
export async function startFakePostgres(behavior: Behavior): Promise<FakePostgres> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (behavior === 'silent') return;
    socket.once('data', () => {
      if ('error' in behavior) {
        socket.end(errorResponse(behavior.error, behavior.message));
        return;
      }
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), READY]));
      socket.on('data', chunk => {
        // A query without parameters is a single message, and a query with parameters ends with a Sync message.
        const isSimple = chunk[0] === 'Q'.charCodeAt(0);
        if (isSimple || endsWithSync(chunk)) socket.write(singleRow(behavior.version, isSimple));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const READY = message('Z', Buffer.from('I'));

const errorResponse = (code: string, text: string): Buffer =>
  message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`));

const endsWithSync = (chunk: Buffer): boolean => chunk.subarray(-5).toString('latin1') === 'S\0\0\0\x04';

/** Builds the complete response to a query: a single row with a single text column. */
function singleRow(value: string, isSimple: boolean): Buffer {
  const column = Buffer.concat([Buffer.from('version\0'), Buffer.alloc(18)]);
  column.writeInt32BE(25, 14); // the type text
  const length = Buffer.alloc(4);
  length.writeInt32BE(value.length);
  const oneItem = Buffer.from([0, 1]);
  return Buffer.concat([
    ...(isSimple ? [] : [message('1', Buffer.alloc(0)), message('2', Buffer.alloc(0))]),
    message('T', Buffer.concat([oneItem, column])),
    message('D', Buffer.concat([oneItem, length, Buffer.from(value)])),
    message('C', Buffer.from('SELECT 1\0')),
    READY,
  ]);
}
