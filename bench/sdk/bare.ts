// A bare node:http server that sends the same response to every request. No Node.js server can send these bytes with less CPU time.
import { createServer } from 'node:http';

// Without this, the process would outlive the benchmark.
process.once('disconnect', () => process.exit());

process.once('message', ({ status, headers, body }: { status: number; headers: string[]; body: string }) => {
  const bytes = Buffer.from(body, 'base64');
  const server = createServer((_request, response) => {
    response.writeHead(status, headers);
    response.end(bytes);
  });
  server.keepAliveTimeout = 72_000;
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : undefined);
  });
});
