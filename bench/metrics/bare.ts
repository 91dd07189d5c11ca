// A bare node:http server that parses a body of metrics and adds up its counts: the least that this work can cost in Node.
import { createServer } from 'node:http';

// It never outlives the bench.
process.once('disconnect', () => process.exit());

type Body = { bucket: { toggles: Record<string, { yes: number; no: number }> } };

const sums = new Map<string, { yes: number; no: number }>();
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const { bucket } = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    for (const [name, { yes, no }] of Object.entries(bucket.toggles)) {
      const sum = sums.get(name);
      if (sum) {
        sum.yes += yes;
        sum.no += no;
      } else sums.set(name, { yes, no });
    }
    response.writeHead(202, ['content-length', '0']);
    response.end();
  });
});
server.keepAliveTimeout = 72_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
