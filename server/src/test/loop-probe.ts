import { createServer } from 'node:http';

// Loaded into a server with --import. Measures the longest time for which the event loop was blocked between two timer ticks, in CPU
// time of the main thread, because wall-clock time grows on a busy machine.

const INTERVAL_MS = 2;

let longestMs = 0;
let lastUsage = process.threadCpuUsage();

setInterval(() => {
  const { user, system } = process.threadCpuUsage(lastUsage);
  longestMs = Math.max(longestMs, (user + system) / 1000);
  lastUsage = process.threadCpuUsage();
}, INTERVAL_MS).unref();

/** Responds to any request with the longest blocked time so far, in milliseconds, and starts a new measurement. */
createServer((_request, response) => {
  const { user, system } = process.threadCpuUsage(lastUsage);
  response.setHeader('connection', 'close');
  response.end(JSON.stringify(Math.max(longestMs, (user + system) / 1000)));
  longestMs = 0;
})
  .listen(Number(process.env.PROBE_PORT), '127.0.0.1')
  .unref();
