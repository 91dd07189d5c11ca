// A baseline: the minimum work that sends the same bytes to all connections.
import { createServer, type ServerResponse } from 'node:http';
import { EVENT_STREAM_HEAD } from '../../plane/src/platform/http/output/server-sent-events.ts';

process.once('disconnect', () => process.exit());
const open = new Set<ServerResponse>();
const server = createServer((_request, response) => {
  response.writeHead(200, EVENT_STREAM_HEAD).flushHeaders();
  open.add(response);
}).listen(0, '127.0.0.1', 4_096, () => process.send?.((server.address() as { port: number }).port));
process.on('message', (text: string) => {
  for (const response of open) response.write(text);
});
