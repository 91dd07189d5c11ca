// Sends one request again and again until the bench ends it, in a process of its own: reading its large responses must not delay the
// requests that the bench measures.
import { once } from 'node:events';
import { Agent, request as send } from 'node:http';

process.once('disconnect', () => process.exit());

type Start = { port: number; token: string; connections: number };

const [{ port, token, connections }] = (await once(process, 'message')) as [Start];
const agent = new Agent({ keepAlive: true });
let isRunning = true;
let responses = 0;
process.once('message', () => {
  isRunning = false;
});

async function evaluate(userId: number): Promise<void> {
  const body = JSON.stringify({ context: { userId: String(userId), appName: 'bench' } });
  const request = send({
    agent,
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/api/frontend',
    headers: { authorization: token, 'content-type': 'application/json', 'content-length': body.length },
  });
  request.end(body);
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`The frontend API responded with ${response.statusCode}`);
  response.resume();
  await once(response, 'end');
  responses++;
}

await Promise.all(
  Array.from({ length: connections }, async (_, connection) => {
    for (let n = 0; isRunning; n++) await evaluate(connection * 1_000_000 + n);
  }),
);
agent.destroy();
process.send?.(responses);
process.disconnect();
