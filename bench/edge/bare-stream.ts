// The baseline for an edge stream, because no server can send the same bytes to all connections with less work.
import { createServer, type ServerResponse } from 'node:http';
import { EVENT_STREAM_HEAD } from '@halyard/plane/platform/http/output/server-sent-events.ts';

process.once('disconnect', () => process.exit());
const openResponses = new Set<ServerResponse>();
const server = createServer((_request, response) => {
  response.writeHead(200, EVENT_STREAM_HEAD).flushHeaders();
  openResponses.add(response);
}).listen(0, '127.0.0.1', 4_096, () => process.send?.((server.address() as { port: number }).port));
process.on('message', (text: string) => {
  for (const response of openResponses) response.write(text);
});
