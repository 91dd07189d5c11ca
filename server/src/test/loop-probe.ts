import { createServer } from 'node:http';

/**
 * Loaded into a server with --import. Measures the longest time that the event loop was blocked between two ticks of a timer, in
 * CPU time of the main thread, which unlike wall-clock time does not grow on a busy machine.
 */
const EVERY_MS = 2;

let longest = 0;
let last = process.threadCpuUsage();

setInterval(() => {
  const { user, system } = process.threadCpuUsage(last);
  longest = Math.max(longest, (user + system) / 1000);
  last = process.threadCpuUsage();
}, EVERY_MS).unref();

/** Responds to any request with the longest blocked time so far, in milliseconds, and starts a new measurement. */
createServer((_request, response) => {
  const { user, system } = process.threadCpuUsage(last);
  response.setHeader('connection', 'close');
  response.end(JSON.stringify(Math.max(longest, (user + system) / 1000)));
  longest = 0;
})
  .listen(Number(process.env.PROBE_PORT), '127.0.0.1')
  .unref();
