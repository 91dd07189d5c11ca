import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { retryFrame } from './frames.ts';

/** How long an SDK that never polls waits before it reconnects: the default interval of polling SDKs. */
const RETURN_AFTER_MS = 15_000;
const READ_WITHIN_MS = 10_000;

/**
 * Returns whether the SDK never polls. The Python and Ruby SDKs retry a rejected stream forever and have no flags until they
 * get a slot. So instead of a 429, the server sends what they lack and ends the stream, which amounts to polling over a stream.
 */
export const neverPolls = ({ 'unleash-sdk': sdk = '' }: IncomingHttpHeaders): boolean =>
  /^unleash-(python|ruby)-sdk\b/.test(String(sdk));

/** Ends the stream of an SDK after its first event. The SDK resumes from its last event id. */
export function endAfterFirstEvent(socket: Socket): void {
  socket.write(retryFrame(RETURN_AFTER_MS));
  socket.setTimeout(READ_WITHIN_MS, () => socket.destroy());
  socket.destroySoon();
}
