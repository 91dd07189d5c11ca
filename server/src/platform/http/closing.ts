import type { App } from './app.ts';

/**
 * While the server stops, every response asks the client to close its connection: one that was busy when the stop began
 * would otherwise stay open, idle, until its keep-alive time (72 s) is over.
 */
export function installClosing(app: App): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
}
